import { acrossRules } from './across/catalog.ts';
import type { RuleEntry } from './ruleEntry.ts';
import { textRules } from './textRules.ts';

const introduction = `# Rules

What AgentJet for VS Code and \`agentjet check\` tell about configs of AgentJet, of its predecessor ASTuner and of
Trinity-RFT. The severity is the usual one; single findings may be milder.

How to silence a rule:

- on one line: \`# agentjet-ignore rule-id\` at its end, or alone on the line above; several ids with commas
- in one file: \`# agentjet-ignore-file rule-id\`
- everywhere: the setting \`agentjet.check.rules\`, such as \`{ "unused-key": "off" }\`, or
  \`agentjet check --rule unused-key=off\`; instead of \`off\`, \`error\`, \`warning\`, \`information\` or \`hint\` says how
  seriously it is taken
`;

/** The list of rules for users, in Markdown: one heading per id. */
export function ruleDocs(): string {
  return [
    introduction,
    '## Keys, values, and what they name\n',
    ...sections(textRules),
    '## Across keys\n',
    ...sections(acrossRules),
  ].join('\n');
}

function sections(rules: Readonly<Record<string, RuleEntry>>): string[] {
  return Object.entries(rules).map(([id, { title, severity, explanation }]) => {
    return `### ${id}\n\n**${title}** (${severity})\n\n${explanation.trim()}\n`;
  });
}
