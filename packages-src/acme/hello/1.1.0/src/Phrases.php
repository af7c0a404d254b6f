<?php

declare(strict_types=1);

namespace Acme\Hello;

/** The four salutations of one language. */
final class Phrases
{
    public function __construct(
        public readonly string $morning,
        public readonly string $afternoon,
        public readonly string $evening,
        public readonly string $otherwise,
    ) {
    }

    /** Takes a language tag such as `fr`, `fr-CA` or `fr_CA`; English where the language is not known. */
    public static function forLanguage(string $tag): self
    {
        return match (strtolower(strtok($tag, '-_') ?: '')) {
            'de' => new self('Guten Morgen', 'Guten Tag', 'Guten Abend', 'Hallo'),
            'fr' => new self('Bonjour', 'Bonjour', 'Bonsoir', 'Bonjour'),
            default => new self('Good morning', 'Good afternoon', 'Good evening', 'Hello'),
        };
    }
}
