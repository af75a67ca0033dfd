import type { ConfigContext } from '../../context.ts';
import type { Finding } from '../../finding.ts';
import { isBroken } from '../../parse.ts';
import { ajetRules } from './ajet/index.ts';
import { trinityRules } from './trinity/index.ts';

/** Looks at a config as a whole, effective values included. */
export type ContextRule = (context: ConfigContext) => readonly Finding[];

/** Every rule across keys. While a text is broken, sections may seem to be missing, so nothing is concluded from it. */
export const crossKeyRules: readonly ContextRule[] = [whole(ajetRules), whole(trinityRules)];

function whole(rule: ContextRule): ContextRule {
  return (context) => (isBroken(context.document) ? [] : rule(context));
}
