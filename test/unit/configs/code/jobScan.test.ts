import { expect, it } from 'vitest';
import { scanJobs } from '../../../../src/configs/core/code/jobScan.ts';

it.each([
  ["import { AgentJetJob } from 'agentjet';\n\nconst job = new AgentJetJob({ nGpu: 8 });\n", [2]],
  ['import * as ajet from "agentjet";\nawait new ajet.AgentJetJob().tune();', [1]],
  ["const { AstunerJob } = require('agentjet');\nnew AstunerJob()", [1]],
  ["import { AgentJetJob } from 'agentjet';\n// new AgentJetJob()\nconst text = 'new AgentJetJob()';", []],
  ["import { AgentJetJob } from './mine.ts';\nnew AgentJetJob();", []],
  ["import { Workflow } from 'agentjet';\nclass W extends Workflow {}", []],
])('finds where a script makes a job (%#)', (text, lines) => {
  expect(scanJobs(text).map(({ line }) => line)).toEqual(lines);
});
