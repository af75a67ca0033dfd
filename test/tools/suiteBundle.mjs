/** Bundles test/e2e/suite into the one CommonJS file that an extension host can run. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { artifacts, root } from './commands.mjs';

const folder = path.join(root, 'test/e2e/suite');

/**
 * @param {string} profile the folder of test files below test/e2e/suite; '' for the files in it itself
 * @returns {Promise<string>} the bundle
 */
export async function bundleSuite(profile) {
  const outfile = path.join(artifacts, 'e2e', profile === '' ? 'suite.js' : `suite-${profile}.js`);
  return bundleForHost(
    testFiles(profile).map((file) => path.join(folder, profile, file)),
    outfile,
  );
}

/**
 * Files are imported when the suite runs: by then `describe` and `it` exist.
 *
 * @param {readonly string[]} files test files, absolute
 * @returns {Promise<string>} `outfile`
 */
export async function bundleForHost(files, outfile) {
  const imports = files.map((file) => `() => import(${JSON.stringify(file)})`);
  const contents = `import { runSuite } from './index.ts';\nexport const run = () => runSuite([${imports.join(', ')}]);\n`;
  await esbuild.build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    sourcemap: 'inline',
    logLevel: 'warning',
    // Mocha's parallel mode, which is not used, asks for files beside its own.
    logOverride: { 'require-resolve-not-external': 'silent' },
  });
  return outfile;
}

export function testFiles(profile) {
  return readdirSync(path.join(folder, profile))
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
}

/** The folders below test/e2e/suite: each is a run of its own, in an editor set up as its name says. */
export function profileFolders() {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
