<?php

declare(strict_types=1);

namespace Acme\Hello;

use DateTimeInterface;

/** Composes a salutation from a name, which may be unknown, and the reader's local time. */
final class Greeter
{
    private readonly Phrases $phrases;

    public function __construct(?Phrases $phrases = null)
    {
        $this->phrases = $phrases ?? Phrases::forLanguage('en');
    }

    /** @param string $language a language tag such as `de` or `de-AT` */
    public static function in(string $language): self
    {
        return new self(Phrases::forLanguage($language));
    }

    public function greet(?string $name, DateTimeInterface $localTime): string
    {
        $salutation = $this->salutation((int) $localTime->format('G'));
        $name = self::tidy($name ?? '');

        return $name === '' ? $salutation : $salutation . ', ' . $name;
    }

    private function salutation(int $hour): string
    {
        return match (true) {
            $hour < 5, $hour >= 22 => $this->phrases->otherwise,
            $hour < 12 => $this->phrases->morning,
            $hour < 18 => $this->phrases->afternoon,
            default => $this->phrases->evening,
        };
    }

    /** Names come out of forms: white space is made single, so that no line break gets into a mail header. */
    private static function tidy(string $name): string
    {
        return trim(preg_replace('/[\s\p{Cc}]+/u', ' ', $name) ?? '');
    }
}
