/** Writes data/tower.pdf, one page of plain text. It is there already; run this (`npm run pdf`) after you changed the text. */
import { writeFileSync } from 'node:fs';

const lines = [
  'The tower was built in 1869. The tower is 41 metres high.',
  'The stair has 196 steps. The lamp room has 16 windows.',
  'The lens was bought in 1905. The lens is 3 metres high.',
  'The fog horn was built in 1933. The gallery is 22 metres long.',
];

const text = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
const stream = `BT /F1 12 Tf 16 TL 72 720 Td\n${text}\nET`;
const objects = [
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
  `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
];

let pdf = '%PDF-1.4\n';
const offsets = objects.map((object, index) => {
  const offset = pdf.length;
  pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
  return `${String(offset).padStart(10, '0')} 00000 n \n`;
});
const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
writeFileSync(new URL('data/tower.pdf', import.meta.url), pdf + table + trailer, 'ascii');
