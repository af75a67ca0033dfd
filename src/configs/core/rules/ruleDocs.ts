import { acrossRules } from './across/catalog.ts';
import type { RuleEntry } from './ruleEntry.ts';
import { textRules } from './textRules.ts';

const introduction = `# Rules

AgentJet for VS Code and \`agentjet check\` apply these rules to configs of AgentJet, of its predecessor ASTuner and of
Trinity-RFT. The severity is the usual one. Single findings can have a lower one.

To silence a rule:

- On one line: write \`# agentjet-ignore rule-id\` at its end, or alone on the line above. Separate several ids by commas.
- In one file: write \`# agentjet-ignore-file rule-id\`.
- Everywhere: use the setting \`agentjet.check.rules\`, such as \`{ "unused-key": "off" }\`, or
  \`agentjet check --rule unused-key=off\`. Instead of \`off\` you can set another severity: \`error\`, \`warning\`,
  \`information\` or \`hint\`.
`;

/** The list of rules for users, in Markdown: one heading per id. */
export function ruleDocs(): string {
  return [
    introduction,
    '## Keys and values\n',
    ...sections(textRules),
    '## Combinations of keys\n',
    ...sections(acrossRules),
  ].join('\n');
}

function sections(rules: Readonly<Record<string, RuleEntry>>): string[] {
  return Object.entries(rules).map(([id, { title, severity, explanation }]) => {
    return `### ${id}\n\n**${title}** (${severity})\n\n${explanation.trim()}\n`;
  });
}
