/**
 * The direction of imports, as one table: what each folder of src may import besides itself.
 * Type-only imports and cycles count. A new arrow here is a commit of its own.
 */
const may = {
  base: [],
  protocol: ['base'],
  config: ['base', 'protocol'],
  tracking: ['base', 'protocol'],
  workflow: ['base', 'protocol'],
  trace: ['base', 'protocol', 'tracking'],
  debug: ['base', 'protocol', 'config', 'tracking', 'workflow'],
  remote: ['base', 'protocol', 'config'],
  backbone: ['base', 'protocol', 'config', 'tracking', 'workflow', 'trace'],
  node: ['base', 'protocol', 'config', 'tracking', 'workflow', 'trace', 'debug', 'remote', 'backbone'],
  vscode: [
    'base',
    'protocol',
    'config',
    'tracking',
    'workflow',
    'trace',
    'debug',
    'remote',
    'backbone',
    'node',
  ],
  webview: ['base', 'protocol', 'tracking', 'trace'],
};
/** Folders that must not name Node or the editor: everything they need is handed to them. */
const pure = ['base', 'protocol', 'config', 'tracking', 'workflow', 'trace', 'remote', 'backbone', 'webview'];

const layers = Object.entries(may).map(([from, to]) => ({
  name: `layer-${from}`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...to].join('|')})/` },
}));

export default {
  forbidden: [
    ...layers,
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'pure-folders-have-no-platform',
      severity: 'error',
      from: { path: `^src/(${pure.join('|')})/` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-vscode-imports-vscode',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(vscode/|extension\\.ts$)' },
      to: { path: '^vscode$|node_modules/@types/vscode' },
    },
    {
      name: 'roots-without-editor-never-reach-it',
      severity: 'error',
      from: { path: '^src/(cli|debugAdapter|host)\\.ts$' },
      to: { path: '^src/vscode/|^vscode$', reachable: true },
    },
    {
      name: 'built-in-model-sees-nothing-but-the-request',
      severity: 'error',
      comment:
        'The built-in model sees no data set, no judge and no file. It answers from the request alone.',
      from: { path: '^src/backbone/model-tuner/built-in/' },
      to: { path: '^src/', pathNot: '^src/(base/|backbone/model-tuner/(built-in/|[^/]+\\.ts$))' },
    },
    {
      name: 'nobody-imports-roots',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
