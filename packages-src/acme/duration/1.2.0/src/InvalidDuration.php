<?php

declare(strict_types=1);

namespace Acme\Duration;

use InvalidArgumentException;

/** The text is not a duration; the message says which part of it is wrong. */
final class InvalidDuration extends InvalidArgumentException
{
}
