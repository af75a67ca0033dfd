/** The license notices that the package contains, compared with what is bundled. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Manifest {
  readonly dependencies: Record<string, string>;
}

interface Lock {
  readonly packages: Record<string, { readonly dev?: boolean }>;
}

const notices = read('dist/THIRD-PARTY-NOTICES.txt');
const listed = [...notices.matchAll(/^-{80}\n(\S+) (\d\S*)\nLicense: /gm)].map(
  ([, name = '', version = '']) => ({
    name,
    version,
  }),
);

test('the notices name every dependency with its version', () => {
  const { dependencies } = JSON.parse(read('package.json')) as Manifest;
  const expected = Object.entries(dependencies).map(([name, version]) => ({ name, version }));
  expect(listed).toEqual(expect.arrayContaining(expected));
});

test('no bundled package is a development dependency', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as Lock;
  const shipped = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  expect(listed.map(({ name }) => name).filter((name) => !shipped.includes(name))).toEqual([]);
});

test('every notice has a license text', () => {
  const texts = notices.split(/^-{80}\n/m).slice(1);
  expect(texts.length).toBeGreaterThan(listed.length);
  for (const text of texts) expect(text.split('\n').slice(3).join('').length, text).toBeGreaterThan(40);
});
