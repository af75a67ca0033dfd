/**
 * The editor in Simplified Chinese: what of it package.json, the code and the viewer say. The editor's own words would
 * come with a language pack; those of ours come with the extension.
 */
import { expect, test } from 'vitest';
import { useEditor } from '../harness/index.ts';

const editor = useEditor({ suite: 'language', workspace: 'media/examples/math_agent', language: 'zh-cn' });

test('commands, lenses, the view of runs and the viewer speak it', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().see('.codelens-decoration', '调试');
  await editor().see('.codelens-decoration', '显示生效配置');
  await editor().see('.editor-actions .action-label[aria-label*="调试回合"]');

  await editor().press('F1');
  const input = await editor().see('.quick-input-widget input');
  await input.fill('>AgentJet: 打开');
  for (const command of ['AgentJet: 打开最近的追踪', 'AgentJet: 打开示例']) {
    await editor().see('.quick-input-list .monaco-list-row', command);
  }
  await editor().screenshot('commands');
  await editor().press('Escape');

  await editor().startDebugging();
  const viewer = await editor().webview(60_000);
  await viewer.getByRole('grid').waitFor();
  await viewer.locator('[role="status"]', { hasText: '已完成' }).waitFor();
  await viewer.getByRole('heading', { name: '训练报告' }).waitFor();
  expect(await viewer.locator('html').getAttribute('lang')).toBe('zh-CN');
  await editor().screenshot('viewer');

  await (await editor().see('.activitybar .action-label[aria-label^="AgentJet"]')).click();
  await editor().see('.part.sidebar .pane-header', '运行');
  await editor().see('.pane-body .monaco-list-row', /已完成.*奖励 .*回合/);
  await editor().screenshot('runs');
});

const explanation = '在 ajet: 和工作流类的上方显示“调试”和“运行”';

test('settings are explained in it', async () => {
  await editor().command('Preferences: Open Settings (UI)');
  const search = await editor().see('.settings-editor .suggest-input-container');
  await search.click();
  await editor().see('.settings-editor .suggest-input-container .monaco-editor.focused');
  await editor().type('agentjet.codeLens');
  await editor().see('.settings-editor .setting-item-description', explanation);
  await editor().screenshot('settings');
});

test('the walkthrough leads through it', async () => {
  await editor().press('Escape');
  await editor().command('View: Close All Editors');
  await editor().seeNo('iframe.webview');
  await editor().commandWith('Welcome: Open Walkthrough...', 'AgentJet 入门');
  await (await editor().see('.gettingStartedContainer .step-title', '按 F5')).click();
  await editor().see('.gettingStartedContainer', '此时超时会暂停计时');
  await editor().screenshot('walkthrough');
});
