import { missingHelper } from '../../../src/backbone/helper-llm/createHelper.ts';
import { neverCancelled } from '../../../src/base/cancellation.ts';

/** What a reader that neither asks nor waits has no use for. */
export const unasked = { helper: missingHelper(), cancellation: neverCancelled, log: () => undefined };
