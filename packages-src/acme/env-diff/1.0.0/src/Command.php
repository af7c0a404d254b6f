<?php

declare(strict_types=1);

namespace Acme\EnvDiff;

use Acme\TextTable\TextTable;
use RuntimeException;

/** `env-diff EXPECTED ACTUAL` */
final class Command
{
    /**
     * @param resource $output
     * @param resource $errors
     */
    public function __construct(private readonly mixed $output, private readonly mixed $errors)
    {
    }

    /**
     * @param list<string> $arguments
     * @return int 0 same keys, 1 different keys, 2 not comparable
     */
    public function run(array $arguments): int
    {
        if (count($arguments) !== 2) {
            fwrite($this->errors, "Usage: env-diff EXPECTED ACTUAL\n");

            return 2;
        }
        try {
            return $this->compare(EnvFile::read($arguments[0]), EnvFile::read($arguments[1]));
        } catch (RuntimeException $exception) {
            fwrite($this->errors, $exception->getMessage() . "\n");

            return 2;
        }
    }

    private function compare(EnvFile $expected, EnvFile $actual): int
    {
        $different = array_merge(array_diff($expected->keys, $actual->keys), array_diff($actual->keys, $expected->keys));
        if ($different === []) {
            return 0;
        }
        sort($different);
        $table = new TextTable('Key', 'In ' . $expected->path, 'In ' . $actual->path);
        foreach ($different as $key) {
            $isExpected = in_array($key, $expected->keys, true);
            $table = $table->withRow($key, $isExpected ? 'yes' : 'no', $isExpected ? 'no' : 'yes');
        }
        fwrite($this->output, $table->render());

        return 1;
    }
}
