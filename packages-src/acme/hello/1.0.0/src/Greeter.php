<?php

declare(strict_types=1);

namespace Acme\Hello;

use DateTimeInterface;

/** Composes a salutation from a name, which may be unknown, and the reader's local time. */
final class Greeter
{
    public function greet(?string $name, DateTimeInterface $localTime): string
    {
        $salutation = $this->salutation((int) $localTime->format('G'));
        $name = self::tidy($name ?? '');

        return $name === '' ? $salutation : $salutation . ', ' . $name;
    }

    private function salutation(int $hour): string
    {
        return match (true) {
            $hour < 5, $hour >= 22 => 'Hello',
            $hour < 12 => 'Good morning',
            $hour < 18 => 'Good afternoon',
            default => 'Good evening',
        };
    }

    /** Names come out of forms: white space is made single, so that no line break gets into a mail header. */
    private static function tidy(string $name): string
    {
        return trim(preg_replace('/[\s\p{Cc}]+/u', ' ', $name) ?? '');
    }
}
