<?php

declare(strict_types=1);

namespace Acme\TextTable;

/**
 * How wide a column is and to which side it is aligned.
 *
 * @internal
 */
final class Column
{
    private readonly int $width;
    private readonly bool $numeric;

    /** @param list<string> $cells */
    public function __construct(private readonly string $heading, array $cells)
    {
        $filled = array_filter($cells, static fn (string $cell): bool => $cell !== '');
        $this->width = max(array_map(self::widthOf(...), [$heading, ...$cells]));
        $this->numeric = $filled !== [] && array_filter($filled, 'is_numeric') === $filled;
    }

    public function heading(): string
    {
        return $this->cell($this->heading);
    }

    public function rule(): string
    {
        return str_repeat('-', $this->width);
    }

    public function cell(string $text): string
    {
        $padding = str_repeat(' ', $this->width - self::widthOf($text));

        return $this->numeric ? $padding . $text : $text . $padding;
    }

    /** Columns of a terminal: combining marks take none, East Asian wide characters two. */
    private static function widthOf(string $text): int
    {
        $visible = preg_replace('/\p{Mn}+/u', '', $text) ?? $text;
        $wide = preg_match_all('/[\x{1100}-\x{115F}\x{2E80}-\x{A4CF}\x{AC00}-\x{D7A3}\x{F900}-\x{FAFF}\x{FE30}-\x{FE6F}\x{FF00}-\x{FF60}\x{FFE0}-\x{FFE6}\x{1F300}-\x{1FAFF}]/u', $visible);

        return (int) preg_match_all('/./us', $visible) + (int) $wide;
    }
}
