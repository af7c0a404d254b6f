<?php

declare(strict_types=1);

namespace Acme\EnvDiff;

use RuntimeException;

/** The keys an environment file sets; never the values. */
final class EnvFile
{
    /** @param list<string> $keys */
    private function __construct(public readonly string $path, public readonly array $keys)
    {
    }

    /** @throws RuntimeException where the file cannot be read */
    public static function read(string $path): self
    {
        $text = is_file($path) ? file_get_contents($path) : false;
        if ($text === false) {
            throw new RuntimeException(sprintf('%s cannot be read.', $path));
        }
        preg_match_all('/^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=/m', $text, $matches);
        $keys = array_values(array_unique($matches[1]));
        sort($keys);

        return new self($path, $keys);
    }
}
