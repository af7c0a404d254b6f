<?php

declare(strict_types=1);

namespace Acme\Result;

use LogicException;

/**
 * A value or a reason. Immutable.
 *
 * @template Value
 * @template Reason
 */
final class Result
{
    private function __construct(private readonly bool $isOk, private readonly mixed $content)
    {
    }

    /** A success. */
    public static function ok(mixed $value): self
    {
        return new self(true, $value);
    }

    /** A failure that was to be expected, with its reason. */
    public static function failure(mixed $reason): self
    {
        return new self(false, $reason);
    }

    public function isOk(): bool
    {
        return $this->isOk;
    }

    /** @throws LogicException on a failure: look first, or use otherwise() */
    public function value(): mixed
    {
        return $this->isOk ? $this->content : throw new LogicException('A failure has no value: ' . self::describe($this->content));
    }

    /** @throws LogicException on a success */
    public function reason(): mixed
    {
        return $this->isOk ? throw new LogicException('A success has no reason.') : $this->content;
    }

    /** @param callable(Value): mixed $change */
    public function map(callable $change): self
    {
        return $this->isOk ? self::ok($change($this->content)) : $this;
    }

    /** @param callable(Value): self $next runs only on a success, and may fail itself */
    public function andThen(callable $next): self
    {
        return $this->isOk ? $next($this->content) : $this;
    }

    /** @param callable(Reason): mixed $fallback */
    public function otherwise(callable $fallback): mixed
    {
        return $this->isOk ? $this->content : $fallback($this->content);
    }

    private static function describe(mixed $reason): string
    {
        return is_scalar($reason) || $reason instanceof \Stringable ? (string) $reason : get_debug_type($reason);
    }
}
