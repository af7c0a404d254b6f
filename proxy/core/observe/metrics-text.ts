// Metrics as Prometheus reads them: the text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Pure.

export interface Sample {
  /** the suffix of a sample of a histogram or summary: `_bucket`, `_sum` or `_count` */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  /** Only a summary may have the label `quantile`: `promtool check metrics` refuses it on a gauge. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  /** none: the family is left out */
  readonly samples: readonly Sample[];
}

/** A family of several samples. */
export function family(type: Family['type'], name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type, help, samples };
}

/** A gauge without labels. undefined: it is left out. */
export function gauge(name: string, help: string, value: number | undefined): Family {
  return family('gauge', name, help, value === undefined ? [] : [{ value }]);
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function formatMetrics(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(formatFamily)
    .join('');
}

function formatFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}\n`,
  );
  return (
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ` +
    `${type}\n${lines.join('')}`
  );
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
