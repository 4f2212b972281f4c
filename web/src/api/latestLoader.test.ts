import { expect, test } from "vitest";
import { LatestLoader } from "./latestLoader";

interface PendingRequest {
  resolve: (data: string) => void;
  reject: (error: unknown) => void;
}

function createLoader() {
  const requests: PendingRequest[] = [];
  const seen: string[] = [];
  const loader = new LatestLoader(
    () => new Promise<string>((resolve, reject) => requests.push({ resolve, reject })),
    (data: string) => seen.push(data),
    (error) => seen.push(String(error)),
  );
  const settle = async (act: (request: PendingRequest) => void) => {
    const request = requests.at(-1);
    if (request) act(request);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { loader, requests, seen, settle };
}

test("changes while something loads cause one more request, and every result is shown", async () => {
  const { loader, requests, seen, settle } = createLoader();
  for (const version of ["1", "2", "3"]) loader.request(version);
  expect(requests).toHaveLength(1);
  await settle((request) => request.resolve("first"));
  expect(seen).toEqual(["first"]);
  expect(requests).toHaveLength(2);
  await settle((request) => request.resolve("third"));
  expect(seen).toEqual(["first", "third"]);
  expect(requests).toHaveLength(2);
  loader.request("4");
  expect(requests).toHaveLength(3);
});

test("an error is shown and does not end the loading, and a closed loader delivers nothing", async () => {
  const { loader, requests, seen, settle } = createLoader();
  loader.request("1");
  await settle((request) => request.reject("lost"));
  expect(seen).toEqual(["lost"]);
  loader.request("2");
  expect(requests).toHaveLength(2);
  loader.close();
  await settle((request) => request.resolve("late"));
  expect(seen).toEqual(["lost"]);
});
