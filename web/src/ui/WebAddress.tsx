/** An address that a model, tool or file has named: a link if it is one of the web, and else only text. */
export function WebAddress({ address }: { address: string }) {
  if (!isWebAddress(address)) return <span className="web-address">{address}</span>;
  return (
    <a className="web-address" href={address} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
}

/** Whether a browser would open a page of the web: other schemes could run code or start programs. */
export function isWebAddress(address: string): boolean {
  if (!/^https?:\/\//i.test(address)) return false;
  try {
    return ["http:", "https:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}
