/**
 * Finds the launch configurations that run the launcher of upstream AgentJet under the Python debugger. Converts them to
 * `agentjet` configurations and keeps comments and order.
 */
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Edit,
  type Node,
} from 'jsonc-parser';

export interface UpstreamLaunch {
  /** The span of the value that names the launcher. */
  readonly offset: number;
  readonly length: number;
  readonly name: string;
  /** A module such as `ajet.launcher`, or a file, as written. */
  readonly launcher: string;
  readonly backbone: string;
  /** Arguments that mean nothing to ours. */
  readonly dropped: readonly string[];
  /** `debug` becomes ours in place; one that trains stays, and ours is added below it. */
  readonly edits: readonly Edit[];
}

const debuggers: ReadonlySet<unknown> = new Set(['debugpy', 'python']);
const modules: ReadonlySet<unknown> = new Set(['ajet.launcher', 'ajet.cli.launcher', 'astuner.cli.launcher']);
const programs = /(?:^|[\\/])(?:ajet|astuner)[\\/](?:cli[\\/])?launcher\.py$/;

/** @param section where the configurations are: `[]` in launch.json, `['launch']` in a workspace file */
export function upstreamLaunches(text: string, section: readonly string[] = []): UpstreamLaunch[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const list = root && findNodeAtLocation(root, [...section, 'configurations']);
  return (list?.children ?? []).flatMap((node) => upstreamLaunch(text, node) ?? []);
}

function upstreamLaunch(text: string, node: Node): UpstreamLaunch | undefined {
  if (node.type !== 'object') return undefined;
  const written = getNodeValue(node) as Readonly<Record<string, unknown>>;
  const launcher = launcherOf(written);
  const value = launcher && findNodeAtLocation(node, [launcher]);
  if (launcher === undefined || value === undefined) return undefined;
  const { conf, ...args } = readArguments(written['args']);
  if (conf === undefined) return undefined; // it only starts or ends services
  const backbone = args.backbone ?? 'verl';
  const ours = asOurs(written, conf, args.expDir);
  return {
    offset: value.offset,
    length: value.length,
    name: textOf(written['name']) ?? '',
    launcher: String(value.value),
    backbone,
    dropped: args.dropped,
    edits: backbone === 'debug' ? inPlace(text, node, launcher, ours) : [below(text, node, ours)],
  };
}

function launcherOf({ type, request, module, program }: Readonly<Record<string, unknown>>) {
  if (!debuggers.has(type) || (request ?? 'launch') !== 'launch') return undefined;
  if (modules.has(module)) return 'module';
  return typeof program === 'string' && programs.test(program) ? 'program' : undefined;
}

/** Flags of the launcher that take a value. */
const valued: ReadonlySet<string> = new Set(['conf', 'backbone', 'exp-dir', 'debug', 'db', 'kill', 'prefix']);

function readArguments(args: unknown) {
  const values = new Map<string, string>();
  const dropped: string[] = [];
  const rest = wordsOf(args);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, flag = '', given] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = given ?? (valued.has(flag) ? rest.shift() : undefined);
    if (['conf', 'backbone', 'exp-dir'].includes(flag) && value !== undefined) values.set(flag, value);
    else dropped.push(given === undefined && value !== undefined ? `${word} ${value}` : word);
  }
  return {
    conf: values.get('conf'),
    backbone: values.get('backbone'),
    expDir: values.get('exp-dir'),
    dropped,
  };
}

/** The editor takes one text as well, of which a shell makes words. */
function wordsOf(args: unknown): string[] {
  if (Array.isArray(args)) return args.map(String);
  const words = typeof args === 'string' ? args.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) : null;
  return (words ?? []).map((word) => word.replaceAll(/["']/g, ''));
}

type Configuration = Readonly<Record<string, unknown>>;

/** Attributes that mean the same to ours, and to the editor. */
const kept: readonly string[] = [
  'name', 'cwd', 'env', 'envFile', 'presentation', 'preLaunchTask', 'postDebugTask', 'internalConsoleOptions',
  'debugServer', 'windows', 'linux', 'osx',
]; // prettier-ignore
/** Options of debugpy's, which ours passes on. */
const debugpyOptions: readonly string[] = [
  'justMyCode', 'showReturnValue', 'rules', 'pathMappings', 'django', 'jinja', 'gevent', 'steppingResumesAllThreads',
]; // prettier-ignore

function asOurs(written: Configuration, conf: string, expDir: string | undefined): Configuration {
  const options = pick(written, debugpyOptions);
  const python = pythonOf(written);
  return {
    ...pick(written, kept),
    type: 'agentjet',
    request: 'launch',
    config: fromWorkspace(conf, written['cwd']),
    ...(expDir !== undefined && { expDir }),
    ...(python !== undefined && { python }),
    ...(Object.keys(options).length > 0 && { pythonDebug: options }),
  };
}

function pick(written: Configuration, names: readonly string[]): Configuration {
  return Object.fromEntries(Object.entries(written).filter(([name]) => names.includes(name)));
}

/** Debugpy takes a list as well, whose first is the interpreter. */
function pythonOf({ python, pythonPath }: Configuration): string | undefined {
  const [first] = [Array.isArray(python) ? (python[0] as unknown) : python, pythonPath].filter(
    (one) => typeof one === 'string' && one !== '',
  );
  // What the Python extension has selected is taken anyway.
  return typeof first === 'string' && !first.startsWith('${command:') ? first : undefined;
}

/** Upstream's is relative to the working directory. */
function fromWorkspace(conf: string, cwd: unknown): string {
  if (/^(?:[\\/]|[A-Za-z]:|\$\{)/.test(conf)) return conf;
  const folder = typeof cwd === 'string' && cwd !== '' ? cwd.replace(/[\\/]$/, '') : '${workspaceFolder}';
  return `${folder}/${conf.replace(/^\.[\\/]/, '')}`;
}

/** Replaces equivalent attributes and removes unknown ones. Comments stay. */
function inPlace(text: string, node: Node, launcher: string, ours: Configuration): Edit[] {
  const properties = node.children ?? [];
  const written = new Set(properties.map(keyOf));
  const added = Object.keys(ours).filter((name) => name !== 'config' && !written.has(name));
  const edits: Edit[] = [];
  const gone: Node[] = [];
  for (const property of properties) {
    const key = keyOf(property);
    if (key === launcher) {
      const names = ['config', ...added];
      const lines = names.map((name) => `${JSON.stringify(name)}: ${onOneLine(ours[name])}`);
      edits.push(replacing(property, lines.join(`,${breakBefore(text, property)}`)));
    } else if (!(key in ours)) {
      gone.push(property);
    } else if (JSON.stringify(ours[key]) !== JSON.stringify(getNodeValue(valueOf(property)))) {
      edits.push(replacing(valueOf(property), JSON.stringify(ours[key])));
    }
  }
  return [...edits, ...removing(text, properties, gone)].sort((a, b) => a.offset - b.offset);
}

function below(text: string, node: Node, ours: Configuration): Edit {
  const name = `AgentJet: ${textOf(ours['name']) ?? 'debug'}`;
  const lineBreak = breakBefore(text, node);
  const body = JSON.stringify({ ...ours, name }, undefined, indentOf(text));
  const content = `,${lineBreak}${body.replaceAll('\n', lineBreak)}`;
  return { offset: node.offset + node.length, length: 0, content };
}

/** Takes properties out with their commas, and with their lines where nothing else is on them. */
function removing(text: string, properties: readonly Node[], gone: readonly Node[]): Edit[] {
  const lastKept = properties.findLast((property) => !gone.includes(property));
  const isLast = lastKept === properties.at(-1);
  // The last property must have no trailing comma.
  const comma = lastKept === undefined || isLast ? undefined : commaAfter(text, lastKept);
  return [
    ...gone.flatMap((property) => {
      const own = commaAfter(text, property);
      const end = endOf(property);
      if (own === undefined) return [spanEdit(text, property.offset, end)];
      return text.slice(end, own).trim() === ''
        ? [spanEdit(text, property.offset, own + 1)]
        : [spanEdit(text, property.offset, end), { offset: own, length: 1, content: '' }];
    }),
    ...(comma === undefined ? [] : [{ offset: comma, length: 1, content: '' }]),
  ];
}

function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === ',' ? offset : undefined;
}

function spanEdit(text: string, start: number, end: number): Edit {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const isAlone =
    next >= 0 && text.slice(lineStart, start).trim() === '' && text.slice(end, next).trim() === '';
  return isAlone
    ? { offset: lineStart, length: next + 1 - lineStart, content: '' }
    : { offset: start, length: end - start, content: '' };
}

function replacing(node: Node, content: string): Edit {
  return { offset: node.offset, length: node.length, content };
}

/** Returns a line break with the indentation of `node`, or a space if `node` does not start its line. */
function breakBefore(text: string, node: Node): string {
  const lineStart = text.lastIndexOf('\n', node.offset - 1) + 1;
  const before = text.slice(lineStart, node.offset);
  return before.trim() === '' ? `${text[lineStart - 2] === '\r' ? '\r\n' : '\n'}${before}` : ' ';
}

function indentOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

function onOneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function valueOf(property: Node): Node {
  return property.children?.[1] ?? property;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}
