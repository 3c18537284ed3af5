/** How the sheet goes into the cutter (gpgl-and-data-link.md section 2: the page's bottom edge enters first). */
export function loadingPicture(linkInfo: string): string {
  return `
        ┌──────────────────────────────┐
        │                              │
        │    ┌──               ──┐     │
        │    │                   │     │     the print faces up
        │          F  artwork          │
        │    │                   │     │
        │    └──               ──┘     │     registration mark 1: bottom right
        │  ${linkInfo}-F ▌▌▐▌▐▐▌▌ █████  │     barcode, Start Mark at its right end
        └──────────────────────────────┘
                 │   │   │   │               the bottom edge goes in first
     ════════════▼═══▼═══▼═══▼═══════════    cutter, its operator in front of it
`;
}
