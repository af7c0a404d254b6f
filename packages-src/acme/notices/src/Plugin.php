<?php

declare(strict_types=1);

namespace Acme\Notices;

use Composer\Composer;
use Composer\DependencyResolver\Operation\InstallOperation;
use Composer\DependencyResolver\Operation\UpdateOperation;
use Composer\EventDispatcher\EventSubscriberInterface;
use Composer\Installer\PackageEvent;
use Composer\Installer\PackageEvents;
use Composer\IO\IOInterface;
use Composer\Package\PackageInterface;
use Composer\Plugin\PluginInterface;
use Composer\Script\ScriptEvents;
use Symfony\Component\Console\Formatter\OutputFormatter;

/** Collects `extra.acme-notice` of what changes, and prints it once everything else was printed. */
final class Plugin implements PluginInterface, EventSubscriberInterface
{
    private ?IOInterface $io = null;

    /** @var array<string, string> package and version → notice */
    private array $notices = [];

    public function activate(Composer $composer, IOInterface $io): void
    {
        $this->io = $io;
    }

    public function deactivate(Composer $composer, IOInterface $io): void
    {
        $this->notices = [];
    }

    public function uninstall(Composer $composer, IOInterface $io): void
    {
    }

    /** @return array<string, string> */
    public static function getSubscribedEvents(): array
    {
        return [
            PackageEvents::POST_PACKAGE_INSTALL => 'collect',
            PackageEvents::POST_PACKAGE_UPDATE => 'collect',
            ScriptEvents::POST_INSTALL_CMD => 'print',
            ScriptEvents::POST_UPDATE_CMD => 'print',
        ];
    }

    public function collect(PackageEvent $event): void
    {
        $package = self::packageOf($event);
        $notice = $package?->getExtra()['acme-notice'] ?? null;
        if ($package !== null && is_string($notice) && trim($notice) !== '') {
            $this->notices[$package->getPrettyName() . ' ' . $package->getPrettyVersion()] = trim($notice);
        }
    }

    public function print(): void
    {
        foreach ($this->notices as $package => $notice) {
            $this->io?->writeError(sprintf('<info>%s</info>: %s', $package, OutputFormatter::escape($notice)));
        }
        $this->notices = [];
    }

    private static function packageOf(PackageEvent $event): ?PackageInterface
    {
        $operation = $event->getOperation();

        return match (true) {
            $operation instanceof InstallOperation => $operation->getPackage(),
            $operation instanceof UpdateOperation => $operation->getTargetPackage(),
            default => null,
        };
    }
}
