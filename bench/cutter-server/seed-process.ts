// usage: seed-process <directory> <jobs> <codes>
// Fills a library in a process of its own: what is left of 100,000 jobs in the memory of the bench would have to be collected while it measures.
import { codeOf, seedJobs, zigzagJob } from './seed.ts';

const [directory = '', jobs, codes] = process.argv.slice(2);
const template = zigzagJob('bench', codeOf(0), 20);
await seedJobs(directory, Number(jobs), (index) => ({ ...template, name: `bench ${index}`, linkInfo: codeOf(index % Number(codes)) }));
