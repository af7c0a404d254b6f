<?php

declare(strict_types=1);

namespace Acme\TextTable;

use InvalidArgumentException;

/** A table of plain text with a header line. Immutable. */
final class TextTable
{
    /** @var list<string> */
    private readonly array $headings;

    /** @var list<list<string>> */
    private array $rows = [];

    public function __construct(string ...$headings)
    {
        if ($headings === []) {
            throw new InvalidArgumentException('A table needs at least one column.');
        }
        $this->headings = array_values(array_map(self::oneLine(...), $headings));
    }

    /** @throws InvalidArgumentException where the number of cells is not that of the columns */
    public function withRow(string|int|float|null ...$cells): self
    {
        if (count($cells) !== count($this->headings)) {
            throw new InvalidArgumentException(sprintf('A row has %d cells, this table has %d columns.', count($cells), count($this->headings)));
        }
        $table = clone $this;
        $table->rows[] = array_values(array_map(static fn (string|int|float|null $cell): string => self::oneLine((string) $cell), $cells));

        return $table;
    }

    /** Every line ends with a line feed, and none with a space. */
    public function render(): string
    {
        $columns = array_map(fn (int $index): Column => new Column($this->headings[$index], array_column($this->rows, $index)), array_keys($this->headings));
        $lines = [
            array_map(static fn (Column $column): string => $column->heading(), $columns),
            array_map(static fn (Column $column): string => $column->rule(), $columns),
        ];
        foreach ($this->rows as $row) {
            $lines[] = array_map(static fn (Column $column, string $cell): string => $column->cell($cell), $columns, $row);
        }

        return implode('', array_map(static fn (array $line): string => rtrim(implode('  ', $line)) . "\n", $lines));
    }

    private static function oneLine(string $text): string
    {
        return preg_replace('/[\p{Cc}]+/u', ' ', $text) ?? $text;
    }
}
