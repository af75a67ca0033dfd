import { expect, it } from 'vitest';
import { referencePage, writtenPage } from '../tools/referenceDocs.ts';

it('documents the help texts (if not, run node test/tools/referenceDocs.ts --update)', async () => {
  expect(writtenPage('command-line')).toBe(await referencePage('command-line'));
});
