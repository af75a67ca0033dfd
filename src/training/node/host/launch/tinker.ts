import { CancellationSource } from '../../../../base/core/cancellation.ts';
import { hasCode, messageOf } from '../../../../base/core/errors.ts';
import { systemClock } from '../../../../base/node/clock.ts';
import type { TinkerFacts } from '../../../core/launch/preflightTinker.ts';
import { connectTinker } from '../../../../tinker/node/connect.ts';

/** Milliseconds until a server that does not answer keeps no preflight waiting. */
const patience = 10_000;

/**
 * Asks the Tinker server of a run for its kind and models.
 *
 * @param env the variables of the run
 */
export async function tinkerFacts(
  baseUrl: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TinkerFacts> {
  const key = keyState(env);
  const source = new CancellationSource();
  const timer = systemClock.after(patience, () => source.cancel());
  // No command that a client sends runs before a run starts, and no file with keys is read for its server.
  const findKey = () => Promise.resolve(env['TINKER_API_KEY']);
  try {
    const options = { ...(baseUrl !== null && { baseUrl }), env, findKey, cancellation: source.token };
    const { dialect, models } = await connectTinker(options, () => undefined);
    const { kind, name, wire, checksKeys } = dialect;
    return { server: { kind, name, wire, checksKeys, models }, problem: null, key };
  } catch (error) {
    const isLate = hasCode(error, 'tinker/cancelled');
    const late = `The Tinker server has not answered for ${patience / 1000} s.`;
    // A missing key has its own finding.
    const problem = hasCode(error, 'tinker/no-key') ? null : isLate ? late : messageOf(error);
    return { server: null, problem, key };
  } finally {
    timer.dispose();
  }
}

/** Reads the environment as the SDK does. */
function keyState(env: Readonly<Record<string, string | undefined>>): TinkerFacts['key'] {
  if (env['TINKER_CREDENTIAL_CMD']) return 'found';
  const key = env['TINKER_API_KEY'];
  if (!key) return 'missing';
  return /^(?:tml-|eyJ)/.test(key) ? 'found' : 'refused';
}
