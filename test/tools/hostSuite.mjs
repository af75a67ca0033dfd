/**
 * Runs the extension-host tests in the VS Code server.
 *
 *   node test/tools/hostSuite.mjs [--but] [--name NAME] [profile …]
 *
 * AGENTJET_E2E_GREP runs only tests whose full title contains it.
 */
import { runHostSuite } from '../e2e/harness/hostSuite.ts';
import { exitWith } from './commands.mjs';
import { runProfiles } from './hostResults.mjs';

await runProfiles((suite, bundle, options) => runHostSuite({ suite, bundle, ...options })).catch(exitWith);
