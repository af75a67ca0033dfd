import type { ConfigContext } from '../../context.ts';
import type { Finding } from '../../finding.ts';

/** Looks at a config as a whole, effective values included. */
export type ContextRule = (context: ConfigContext) => readonly Finding[];

/** Every rule across keys. */
export const contextRules: readonly ContextRule[] = [];
