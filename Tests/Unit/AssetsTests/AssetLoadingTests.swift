// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@Suite struct AssetLoadingTests {
    /// A video whose opening waits at a gate, and a count of how often it was opened.
    private final class Door: Sendable {
        struct State {
            var openings = 0
            var isOpen = false
            var wasCancelled = false
        }

        let state = Monitor(State())

        var asset: SyntheticAsset {
            var media = SyntheticMedia()
            media.faults.willOpen = { [state] cancellation throws(MediaError) in
                state.change { $0.openings += 1 }
                let isCancelled = state.wait(nanoseconds: 60_000_000_000) { state -> Bool? in
                    if cancellation.isCancelled { return true }
                    return state.isOpen ? false : nil
                }
                guard isCancelled == false else {
                    state.change { $0.wasCancelled = true }
                    throw MediaError(.cancelled, subject: "test", cause: "it was cancelled")
                }
            }
            return SyntheticAsset(media)
        }

        /// Waits on a thread of its own: those of tasks are few, and must not block.
        func wait(until condition: @escaping @Sendable (State) -> Bool) async {
            await withCheckedContinuation { continuation in
                _ = WorkerThread(name: "test-door") { [state] in
                    state.wait { condition($0) ? () : nil }
                    continuation.resume()
                }
            }
        }

        func waitForOpening() async { await wait { $0.openings > 0 } }
        func open() { state.change { $0.isOpen = true } }
        var openings: Int { state.withLock { $0.openings } }
    }

    @Test func `making an asset opens nothing`() {
        let door = Door()
        let asset = door.asset
        #expect(asset.status == .unknown && door.openings == 0)
        guard case .unknown = asset.status(of: .duration) else {
            Issue.record("a property was loaded without a request")
            return
        }
    }

    @Test func `callers at the same time share one opening, and later ones its values`()
        async throws
    {
        let door = Door()
        let asset = door.asset
        async let first = asset.load(.duration)
        async let second = asset.load(.tracks, .isPlayable)
        await door.waitForOpening()
        #expect(asset.status == .loading)
        door.open()
        #expect(try await first == MediaTime(value: 2, timescale: 1))
        let (tracks, isPlayable) = try await second
        #expect(tracks.count == 2 && isPlayable)
        #expect(try await asset.load(.tracks(of: .audio)).count == 1)
        #expect(door.openings == 1 && asset.status == .loaded)
        guard case .loaded(let duration) = asset.status(of: .duration) else {
            Issue.record("the value was not kept")
            return
        }
        #expect(duration == MediaTime(value: 2, timescale: 1))
    }

    @Test func `once loaded, the callback comes before the call returns`() async throws {
        let door = Door()
        let asset = door.asset
        door.open()
        _ = try await asset.load(.duration)
        let calls = Monitor(0)
        asset.loadDescription { _ in calls.change { $0 += 1 } }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `cancelling ends every wait, and loading can be repeated`() async throws {
        let door = Door()
        let asset = door.asset
        let waiting = Task { try await asset.load(.duration) }
        await door.waitForOpening()
        asset.cancelLoading()
        door.state.wake()
        let error = await #expect(throws: MediaError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(asset.status == .cancelled)
        door.open()
        #expect(try await asset.load(.duration) == MediaTime(value: 2, timescale: 1))
        #expect(door.openings == 2)
    }

    @Test func `a cancelled task ends its own wait; the last one ends the loading`() async throws {
        let door = Door()
        let asset = door.asset
        let stays = Task { try await asset.load(.duration) }
        await door.waitForOpening()
        let leaves = Task { try await asset.load(.tracks) }
        leaves.cancel()
        await #expect(throws: MediaError.self) { try await leaves.value }
        #expect(asset.status == .loading)
        stays.cancel()
        door.state.wake()
        await #expect(throws: MediaError.self) { try await stays.value }
        #expect(asset.status == .cancelled)
        door.state.wake()
        await door.wait { $0.wasCancelled }
    }

    @Test func `a failure is kept and the same for all`() async {
        var media = SyntheticMedia()
        let failure = MediaError(.damaged, subject: "test", cause: "it is damaged")
        media.faults.willOpen = { _ throws(MediaError) in throw failure }
        let asset = SyntheticAsset(media)
        for _ in 0..<2 {
            let error = await #expect(throws: MediaError.self) { try await asset.load(.duration) }
            #expect(error == failure)
        }
        #expect(asset.status == .failed(failure))
    }

    @Test func `loading that a source cancelled itself can be repeated`() async throws {
        var media = SyntheticMedia()
        let openings = Mutex(0)
        media.faults.willOpen = { _ throws(MediaError) in
            let isFirst = openings.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw MediaError(.cancelled, subject: "test", cause: "it was stopped") }
        }
        let asset = SyntheticAsset(media)
        let error = await #expect(throws: MediaError.self) { try await asset.load(.duration) }
        #expect(error?.code == .cancelled)
        _ = try await asset.load(.duration)
    }
}
