/** The checks of a training whose weights are on a Tinker server. */
import { compareVersions } from '../../../configs/core/key-tables/releases.ts';
import type { Dialect } from '../../../tinker/core/profile.ts';
import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import { error, variableHint, warning } from './findings.ts';
import type { PythonFacts } from './preflightPython.ts';
import type { TinkerUse, Training } from './training.ts';

/** The state of the server, as the host sees it. */
export interface TinkerFacts {
  /** Null: it does not answer, or not as a Tinker server does. */
  readonly server: TinkerServer | null;
  /** The reason, as a sentence; null if it answers. */
  readonly problem: string | null;
  /** The key that the run gets. `refused`: the SDK does not accept its form. */
  readonly key: 'found' | 'missing' | 'refused';
}

export interface TinkerServer extends Pick<Dialect, 'kind' | 'name' | 'wire' | 'checksKeys'> {
  readonly models: readonly { readonly name: string }[];
}

const keyName = 'TINKER_API_KEY';
/** Trinity's documentation names it. */
const documentedName = 'TRINITY_API_KEY';

interface Facts {
  readonly tinker: TinkerFacts | null;
  readonly python: PythonFacts | null;
  readonly variables: ReadonlySet<string>;
}

export function tinkerFindings(order: RunOrder, training: Training, facts: Facts): Finding[] {
  const { tinker: use } = training;
  const { tinker, python, variables } = facts;
  if (use === null || tinker === null) return [];
  const isRay = order.launcher === 'ray';
  // The nodes of a cluster may reach another server, and have another key.
  const severe = isRay ? warning : error;
  return [
    ...keyFindings(use, tinker, variables, isRay),
    ...(tinker.problem === null ? [] : [unreachable(use, tinker.problem, severe)]),
    ...(tinker.server === null ? [] : modelFindings(training, tinker.server, severe)),
    ...(isRay || python === null ? [] : versionFindings(use, tinker.server, python)),
  ];
}

function keyFindings(
  { enable: { key } }: TinkerUse,
  { key: state, server }: TinkerFacts,
  variables: ReadonlySet<string>,
  isRay: boolean,
): Finding[] {
  if (state === 'found') return [];
  const free =
    server?.checksKeys === false ? ' This server checks no keys: any text after `tml-` will do.' : '';
  if (state === 'refused') {
    const message = `The value of ${keyName} does not start with \`tml-\`. The SDK of Tinker rejects it.`;
    return [error('tinker-key', message, { hint: `Set it to a key of the server.${free}`, key })];
  }
  const unread = variables.has(documentedName) ? ` Trinity-RFT does not read ${documentedName}.` : '';
  const message = `\`${key}\` needs the variable ${keyName}. Without it, the SDK of Tinker does not start.${unread}`;
  const make = isRay ? warning : error;
  return [make('variable-missing', message, { hint: variableHint(keyName, isRay) + free, key })];
}

function unreachable({ baseUrl: { key } }: TinkerUse, problem: string, severe: typeof error): Finding {
  const hint = `Start the server, or correct \`${key}\`. Without the key, TINKER_BASE_URL has the address.`;
  return severe('tinker-server', problem, { hint, key });
}

const mostNamed = 5;

function modelFindings({ model }: Training, server: TinkerServer, severe: typeof error): Finding[] {
  const { key, value } = model;
  const names = server.models.map(({ name }) => name);
  if (value === null || names.includes(value)) return [];
  const shown = names.slice(0, mostNamed).map((name) => `\`${name}\``);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const message = `The Tinker server does not have the model \`${value}\`.`;
  const hint =
    names.length === 0
      ? 'Start the server with a model.'
      : `Set \`${key}\` to a model of the server: ${shown.join(', ')}${more}.`;
  return [severe('tinker-model', message, { hint, key })];
}

/** The first SDK that sends protobuf, and the first that SkyRL and TuFT exclude. */
const [protobufSdk, excludedSdk] = ['0.25', '0.26'];
/** The first release that imports vLLM whatever engine runs. */
const importsVllm = '0.6';

function versionFindings(
  { enable: { key } }: TinkerUse,
  server: TinkerServer | null,
  { version, packages, vllm }: PythonFacts,
): Finding[] {
  const found: Finding[] = [];
  const [, minor] = version;
  if (minor < 11) {
    const message = `The SDK of Tinker needs Python 3.11 or later. The launcher has ${version.join('.')}.`;
    const hint = 'Ask the owner of the host to set a launcher from another environment.';
    found.push(error('python-version', message, { hint, key }));
  }
  const trinity = packages['trinity-rft'];
  if (typeof trinity === 'string' && compareVersions(trinity, importsVllm) >= 0 && vllm === false) {
    const message = `Trinity-RFT ${trinity} imports \`vllm\` also with Tinker. Without it, the run fails when it starts.`;
    const hint =
      'No engine runs, so a module `vllm` with the names that `trinity/common/models/mm_utils.py` imports is enough. pip cannot install vLLM next to this release.';
    found.push(error('packages-missing', message, { hint, key }));
  }
  const sdk = packages['tinker'];
  if (typeof sdk === 'string' && server !== null) found.push(...sdkFindings(sdk, server, key));
  return found;
}

function sdkFindings(sdk: string, { kind, name, wire }: TinkerServer, key: string): Finding[] {
  if (kind !== 'skyrl' && kind !== 'tuft') return [];
  const isProtobuf = compareVersions(sdk, protobufSdk) >= 0;
  if (isProtobuf !== (wire === 'protobuf')) {
    const message = `The launcher has the SDK \`tinker\` ${sdk}, which ${name} does not understand.`;
    const range = wire === 'protobuf' ? `tinker>=${protobufSdk},<${excludedSdk}` : `tinker<${protobufSdk}`;
    return [error('tinker-sdk', message, { hint: `Install \`${range}\` in the launcher's Python.`, key })];
  }
  if (compareVersions(sdk, excludedSdk) < 0) return [];
  const message = `${name} supports the SDK \`tinker\` before ${excludedSdk}, and the launcher has ${sdk}. Later versions may train and not sample.`;
  const hint = `Install \`tinker>=${protobufSdk},<${excludedSdk}\` in the launcher's Python.`;
  return [warning('tinker-sdk', message, { hint, key })];
}
