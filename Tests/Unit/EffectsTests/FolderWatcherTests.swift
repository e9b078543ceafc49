// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadThreads
import Testing

@testable import PlayheadEffects

@Suite("Folder watching")
struct FolderWatcherTests {
    /// A watcher, and all its notifications.
    private final class Rig {
        let folder = TemporaryFolder()
        let watcher: FolderWatcher
        let reported = Monitor<Set<String>>([])
        private var thread: WorkerThread?

        init() throws { watcher = try FolderWatcher() }

        deinit {
            watcher.stop()
            thread?.join()
        }

        func path(_ name: String) -> String { folder.appending(name).path }

        func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(
                at: folder.appending(name), withIntermediateDirectories: false)
        }

        /// Starts notifications.
        func start() {
            let (watcher, reported) = (watcher, reported)
            thread = WorkerThread(name: "test-folders") {
                while let changed = watcher.next() { reported.change { $0.formUnion(changed) } }
            }
        }
    }

    @Test func `a missing folder is found while another one is busy`() throws {
        let rig = try Rig()
        try rig.makeFolder("busy")
        rig.watcher.watch([rig.path("busy"), rig.path("missing")])
        rig.start()
        try rig.makeFolder("missing")
        try eventually("a notification of the folder") {
            try rig.folder.write("", to: "busy/file")
            return rig.reported.withLock { $0.contains(rig.path("missing") + "/") }
        }
    }

    @Test
    func `a folder that returned is reported, although others were added in between`() throws {
        let rig = try Rig()
        try rig.makeFolder("other")
        rig.watcher.watch([rig.path("missing")])
        try rig.makeFolder("missing")
        rig.watcher.watch([rig.path("missing"), rig.path("other")])
        rig.start()
        let place = rig.path("missing") + "/"
        let isReported = rig.reported.wait(nanoseconds: 120_000_000_000) {
            $0.contains(place) ? true : nil
        }
        #expect(isReported == true)
    }
}
