import { describe, expect, it } from 'vitest';
import { referencePage, writtenPage } from '../../tools/referenceDocs.ts';

describe('a generated reference page', () => {
  // The page of the command line needs a build: test/cli/docs.test.ts.
  it.each(['rules', 'findings', 'settings', 'launch-json'] as const)(
    '%s is up to date (if not, run node test/tools/referenceDocs.ts --update)',
    async (name) => {
      expect(writtenPage(name)).toBe(await referencePage(name));
    },
  );
});
