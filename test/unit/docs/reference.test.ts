import { describe, expect, it } from 'vitest';
import { referencePage, writtenPage } from '../../tools/referenceDocs.ts';

describe('a generated reference page', () => {
  it.each(['rules', 'findings', 'errors', 'settings', 'launch-json', 'command-line'] as const)(
    '%s is up to date (if not, run node test/tools/referenceDocs.ts --update)',
    async (name) => {
      expect(writtenPage(name)).toBe(await referencePage(name));
    },
  );
});
