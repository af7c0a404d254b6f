<?php

declare(strict_types=1);

namespace Acme\Duration;

/** A length of time that is not negative, to the millisecond. Immutable. */
final class Duration
{
    /** Milliseconds, largest unit first. */
    private const UNITS = ['d' => 86_400_000, 'h' => 3_600_000, 'm' => 60_000, 's' => 1_000, 'ms' => 1];

    private function __construct(private readonly int $milliseconds)
    {
    }

    public static function ofMilliseconds(int $milliseconds): self
    {
        if ($milliseconds < 0) {
            throw new InvalidDuration('A duration cannot be negative.');
        }

        return new self($milliseconds);
    }

    /** @throws InvalidDuration */
    public static function parse(string $text): self
    {
        if (preg_match('/^\s*(?:\d+\s*[a-z]+\s*)+$/i', $text) !== 1) {
            throw new InvalidDuration(sprintf('"%s" is not a duration such as 1h 30m.', $text));
        }
        preg_match_all('/(\d+)\s*([a-z]+)/i', $text, $parts, PREG_SET_ORDER);
        $total = 0;
        $seen = [];
        foreach ($parts as [, $count, $unit]) {
            $unit = strtolower($unit);
            $factor = self::UNITS[$unit] ?? throw new InvalidDuration(sprintf('"%s": unknown unit "%s".', $text, $unit));
            if (isset($seen[$unit])) {
                throw new InvalidDuration(sprintf('"%s": the unit "%s" stands twice.', $text, $unit));
            }
            $seen[$unit] = true;
            $total += (int) $count * $factor;
            if (!is_int($total)) {
                throw new InvalidDuration(sprintf('"%s" is too long.', $text));
            }
        }

        return new self($total);
    }

    public function milliseconds(): int
    {
        return $this->milliseconds;
    }

    public function plus(self $other): self
    {
        return new self($this->milliseconds + $other->milliseconds);
    }

    public function __toString(): string
    {
        $rest = $this->milliseconds;
        $parts = [];
        foreach (self::UNITS as $unit => $factor) {
            $count = intdiv($rest, $factor);
            $rest %= $factor;
            if ($count > 0) {
                $parts[] = $count . $unit;
            }
        }

        return $parts === [] ? '0s' : implode(' ', $parts);
    }
}
