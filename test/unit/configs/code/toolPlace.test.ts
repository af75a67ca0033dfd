import { expect, test } from 'vitest';
import { toolAt } from '../../../../src/configs/core/code/toolPlace.ts';

const typescript = `// get_weather is described below
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: {} } }];
const handlers = {
  search: async (query: string) => query,
  'find-file': () => '',
};
class Box {
  private async open_lid(depth = 1): Promise<void> {
    await search('get_weather now');
  }
}
export async function calculate(text: string) {
  if (calculate_all(text)) return;
  return open_lid(1);
}
export const sum = (a: number) => a;
`;

const python = `"""add is a tool."""
from toolkit import tool

@tool
async def add(a: int, b: int) -> int:
    return a + b

class Kit:
    def find(self, name): ...

lookup: Tool = Tool(name="look_up")
REGISTRY = {"delete_row": None}  # 'drop'
`;

test.each([
  ['calculate', 12, 23, 'calculate'],
  ['sum', 16, 14, 'sum'],
  ['search', 4, 3, 'search'],
  ['open_lid', 8, 17, 'open_lid'],
  ['get_weather', 2, 55, null],
  ['find-file', 5, 4, null],
])('TypeScript: %s', (name, line, column, found) => {
  expect(toolAt(typescript, name, 'typescript')).toEqual({ line, column, function: found });
});

test.each([
  ['add', 5, 11, 'add'],
  ['find', 9, 9, 'find'],
  ['lookup', 11, 1, 'lookup'],
  ['look_up', 11, 27, null],
  ['delete_row', 12, 14, null],
])('Python: %s', (name, line, column, found) => {
  expect(toolAt(python, name, 'python')).toEqual({ line, column, function: found });
});

test.each(['calculate_all', 'weather', 'drop', 'get_weather now!', '', '('])('%j is nowhere', (name) => {
  expect(toolAt(typescript, name, 'typescript')).toBeUndefined();
  expect(toolAt(python, name, 'python')).toBeUndefined();
});

test('takes time linear in the text', () => {
  const long = `${'async '.repeat(50_000)}\n${'x=('.repeat(50_000)}`;
  expect(toolAt(long, 'nothing', 'typescript')).toBeUndefined();
  expect(toolAt(long, 'nothing', 'python')).toBeUndefined();
});
