import { withoutCompositionKeys } from '../../../configs/core/compose/compositionKeys.ts';
import { preparedConfig } from '../../../configs/core/convert/convert.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import type { DialectId } from '../../../configs/core/dialect.ts';
import { diffEffective } from '../../../configs/core/effective/diff.ts';
import { ownFirst, sorted } from '../../../configs/core/effective/arrange.ts';
import { secretDefaults, withoutConfigSecrets } from '../../../configs/core/effective/secrets.ts';
import { oneLine, renderEffective } from '../../../configs/core/effective/render.ts';
import { parseConfig } from '../../../configs/core/parse.ts';
import { fromNode, type MappingValue, type Value } from '../../../configs/core/value.ts';
import { mostOfEffectiveConfig, type RunOrder } from '../protocol/runs.ts';
import type { BridgedCode } from '../protocol/bridge.ts';
import { flagValue } from '../launch/flags.ts';
import { stepText } from '../launch/resumeStages.ts';

export interface EffectiveConfigRequest {
  readonly redact: (text: string) => string;
  readonly relativeTo: string;
  readonly run: string;
  readonly order: Omit<RunOrder, 'env'>;
  readonly dialect: DialectId;
  /** The uploaded config, composed. */
  readonly sent: Composition;
  /** The config that is started, with the changes of the host. */
  readonly started: Composition;
  readonly text: string;
  /** The code that the bridge replaces, by kind. */
  readonly bridged: Readonly<Record<string, BridgedCode>>;
}

/** Returns the composed config of a run as YAML, with the origin of each value and without secrets. */
export function effectiveConfigText(request: EffectiveConfigRequest): string {
  const { sent, started, text } = request;
  const root = marked(rootOf(started, request), rootOf(sent, request)) as MappingValue;
  const hidden = secretDefaults(started.layers);
  const { redact, relativeTo } = request;
  const shown = withoutConfigSecrets(ownFirst(root, parseConfig(text)), { redact, hidden });
  const { text: yaml } = renderEffective(shown, { format: 'yaml', origins: true, relativeTo });
  const header = headerOf(request).map((line) => `# ${oneLine(redact(line))}`);
  return limited(`${header.join('\n')}\n\n${yaml}`);
}

function headerOf({ run, order, bridged }: EffectiveConfigRequest): string[] {
  const { config, launcher, backbone, flags, from } = order;
  return [
    `${config}, as started by run ${run}`,
    `launcher ${launcher}, backbone ${backbone}${flags.length === 0 ? '' : `, flags ${flags.join(' ')}`}`,
    ...Object.entries(bridged).map(
      ([kind, { file, name }]) => `${kind} ${file}->${name}, through the bridge`,
    ),
    ...(from === undefined ? [] : [`${from.as} of run ${from.run} from ${stepText(from)}`]),
  ];
}

function rootOf(composition: Composition, { dialect, order }: EffectiveConfigRequest): MappingValue {
  if (dialect !== 'ajet') return withoutCompositionKeys(composition.config.root);
  return preparedConfig(composition, order.backbone, flagValue(order.flags, '--exp-dir'));
}

/** Marks values that the host changed. The others keep their origins in the uploaded files. */
function marked(value: Value, before: Value | undefined): Value {
  if (before !== undefined && diffEffective(before, value).length === 0) return before;
  if (value.kind === 'mapping') {
    const known = before?.kind === 'mapping' ? before.entries : undefined;
    const entries = [...value.entries].map(([key, child]) => [key, marked(child, known?.get(key))] as const);
    return { ...value, entries: new Map(entries) };
  }
  if (value.kind === 'sequence') {
    const known = before?.kind === 'sequence' ? before.items : undefined;
    return { ...value, items: value.items.map((item, index) => marked(item, known?.[index])) };
  }
  if (value.origin.kind === 'rule') return value;
  return { ...value, origin: { kind: 'rule', expression: 'set by the host', inputs: [] } };
}

/** Limits a text to whole lines. */
function limited(text: string): string {
  if (text.length <= mostOfEffectiveConfig) return text;
  const notice = '# Truncated: the config is too long.\n';
  return text.slice(0, text.lastIndexOf('\n', mostOfEffectiveConfig - notice.length) + 1) + notice;
}

/** Returns the values of an effective config. A text that is not a mapping has none. */
export function effectiveConfigValues(text: string, file: string): MappingValue {
  const { root, lines } = parseConfig(text);
  const value = root && fromNode(root, { file, lines }, () => undefined);
  if (value?.kind === 'mapping') return value;
  return { kind: 'mapping', entries: new Map(), origin: { kind: 'file', location: { file } } };
}

/** Returns the sorted values without origins, so that two runs can be compared line by line. */
export function comparableText(values: MappingValue): string {
  return renderEffective(sorted(values), { format: 'yaml', origins: false }).text;
}
