/** Which tests of a suite failed, from the results its runner left, and how a person is told. Plain Node 20, no packages. */
import path from 'node:path';

const mostFailures = 20;
const mostLines = 25;
/** Of a line. */
const mostCharacters = 2_000;

/**
 * @typedef {object} Failure
 * @property {string} title
 * @property {string} error empty where the results do not tell
 */

/**
 * From vitest's JSON. A skipped test counts as failed. A file that fails as a whole has no failed test; of a hook that
 * fails, only the log tells why, and its tests are skipped.
 * @returns {Failure[]}
 */
export function vitestFailures({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.basename(name);
    const tests = assertionResults
      .filter((test) => test.status !== 'passed')
      .map((test) => ({
        title: `${file} > ${test.fullName}${test.status === 'failed' ? '' : ` (${test.status})`}`,
        error: test.failureMessages.join('\n'),
      }));
    return status === 'failed' && tests.length === 0 ? [{ title: file, error: message }] : tests;
  });
}

/**
 * From the results of an extension host.
 * @param {import('../e2e/suite/index.ts').SuiteResults} results
 * @returns {Failure[]}
 */
export function hostFailures({ tests }, profile) {
  const prefix = profile === '' ? '' : `${profile} > `;
  return tests
    .filter(({ state }) => state === 'failed')
    .map(({ title, error }) => ({ title: prefix + title, error: error ?? '' }));
}

/**
 * One block for each failure, cut to a length that a person reads.
 * @param {readonly Failure[]} failures
 */
export function describeFailures(failures) {
  const blocks = failures
    .slice(0, mostFailures)
    .map(({ title, error }) => [`FAIL ${title}`, ...shortened(error).map((line) => `  ${line}`)].join('\n'));
  const more = failures.length - blocks.length;
  return [...blocks, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** The lines of an error that say something of the project. */
function shortened(error) {
  const lines = error.split('\n').filter((line) => line.trim() !== '' && !isForeignFrame(line));
  const kept = lines.slice(0, mostLines).map((line) => line.slice(0, mostCharacters));
  return lines.length > kept.length ? [...kept, '…'] : kept;
}

function isForeignFrame(line) {
  return /^\s+at .*(?:node_modules|node:internal|<anonymous>\))/.test(line);
}
