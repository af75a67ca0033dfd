import type { TokenizerNote } from '../../protocol/tracedRun.ts';

/** Apart, so that it is known without loading what it is about. */
export const embeddedNote: TokenizerNote = { name: 'embedded', exact: false, file: null };
