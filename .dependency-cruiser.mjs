/**
 * The direction of imports, as two tables: which feature may import which, and which tier may import which.
 * Type-only imports and cycles count. A new arrow here is a commit of its own.
 */

/** Features: the folders of src. */
const features = {
  base: [],
  configs: ['base'],
  tracking: ['base'],
  tinker: ['base', 'tracking'],
  sdk: ['base', 'tracking'],
  traces: ['base', 'configs', 'tracking', 'sdk'],
  backbone: ['base', 'configs', 'tracking', 'tinker', 'sdk', 'traces'],
  debugging: ['base', 'configs', 'tracking', 'tinker', 'sdk', 'traces', 'backbone'],
  training: ['base', 'configs', 'tracking', 'tinker', 'sdk', 'traces', 'backbone'],
  command: ['base', 'configs', 'tracking', 'tinker', 'sdk', 'traces', 'backbone', 'debugging', 'training'],
};

/** Tiers: the folders of a feature. */
const tiers = {
  core: [],
  node: ['core'],
  cli: ['core', 'node'],
  editor: ['core', 'node'],
  webview: ['core'],
};

const featureRules = Object.entries(features).map(([from, to]) => ({
  name: `feature-${from}`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...to].join('|')})/` },
}));

const tierRules = Object.entries(tiers).map(([from, to]) => ({
  name: `tier-${from}`,
  severity: 'error',
  from: { path: `^src/[^/]+/${from}/` },
  to: { path: '^src/', pathNot: `^src/[^/]+/(${[from, ...to].join('|')})/` },
}));

export default {
  forbidden: [
    ...featureRules,
    ...tierRules,
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'every-file-has-a-tier',
      severity: 'error',
      comment: 'A file of a feature lies in core, node, cli, editor or webview.',
      from: { path: '^src/(?!python/)[^/]+/', pathNot: `^src/[^/]+/(${Object.keys(tiers).join('|')})/` },
      to: {},
    },
    {
      name: 'core-and-webview-have-no-node',
      severity: 'error',
      from: { path: '^src/[^/]+/(core|webview)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-the-editor-tier-imports-vscode',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/([^/]+/editor/|extension\\.ts$)' },
      to: { path: '^vscode$|node_modules/@types/vscode' },
    },
    {
      name: 'roots-without-editor-never-reach-it',
      severity: 'error',
      from: { path: '^src/(cli|debugAdapter|host)\\.ts$' },
      to: { path: '^src/[^/]+/editor/|^vscode$', reachable: true },
    },
    {
      name: 'built-in-model-sees-nothing-but-the-request',
      severity: 'error',
      comment: 'No data set, no judge, no file: it answers from the request alone.',
      from: { path: '^src/backbone/core/model-tuner/built-in/' },
      to: { path: '^src/', pathNot: '^src/(base/|backbone/core/model-tuner/(built-in/|[^/]+\\.ts$))' },
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
