<?php

// php tests/run.php: prints nothing and exits 0 where all is well.

declare(strict_types=1);

require __DIR__ . '/../src/InvalidDuration.php';
require __DIR__ . '/../src/Duration.php';

use Acme\Duration\Duration;
use Acme\Duration\InvalidDuration;

$failed = false;
$expect = static function (mixed $expected, mixed $actual, string $what) use (&$failed): void {
    if ($expected !== $actual) {
        $failed = true;
        fwrite(STDERR, sprintf("%s: expected %s, got %s\n", $what, var_export($expected, true), var_export($actual, true)));
    }
};

foreach (['1h 30m' => 5_400_000, '90s' => 90_000, '250 ms' => 250, '1d2h' => 93_600_000, '0s' => 0] as $text => $milliseconds) {
    $expect($milliseconds, Duration::parse($text)->milliseconds(), $text);
}
foreach (['', '12', 'h', '1w', '1h 1h', '-1s', '1.5h', '99999999999999999999d'] as $text) {
    try {
        $expect(InvalidDuration::class, (string) Duration::parse($text), $text);
    } catch (InvalidDuration) {
        continue;
    }
}
$expect('1m 30s 250ms', (string) Duration::ofMilliseconds(90_250), 'format');
$expect('0s', (string) Duration::ofMilliseconds(0), 'zero');
$expect('1h 1m', (string) Duration::parse('1h')->plus(Duration::parse('60s')), 'plus');

exit($failed ? 1 : 0);
