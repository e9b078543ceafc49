// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
package import PlayheadGL
import PlayheadThreads
import Synchronization

/// Reloads effects when their files change. If an effect's file, or a file that it includes or
/// imports, is saved, the instances of the effect are drawn with the new version from the next
/// frame on.
///
/// Files are loaded and compiled on a thread that does not draw. If a file cannot be read as an
/// effect or does not compile, the last good version of the effect is still drawn, with its values
/// and persistent buffers, and the handler receives the error.
///
/// ```swift
/// let watcher = try EffectWatcher { event in
///     if case .failed(_, let error) = event { show(error.description) }
///     presenter.setNeedsDisplay()
/// }
/// watcher.watch(glow)
/// ```
///
/// - Concurrency: any thread. The watcher has its own thread, which calls the handler.
/// - Ownership: instances are held weakly. Watching ends when the watcher is deallocated.
public final class EffectWatcher: Sendable {
    /// The result of a save.
    public enum Event: Sendable {
        /// The instance uses the new version of the file.
        case reloaded(EffectInstance)
        /// The new version cannot be read as an effect or does not compile. The instance is
        /// unchanged.
        case failed(EffectInstance, EffectError)
        /// The preset at this path was applied again.
        case applied(String)
        /// The file at this path is not a preset, or its values do not fit the effects to which it
        /// is applied.
        case presetFailed(String, EffectError)
    }

    private let worker: Worker
    /// The watcher's thread; nil if the process is exiting.
    private let thread: WorkerThread?

    /// Creates a watcher that watches nothing yet.
    ///
    /// - Parameters:
    ///   - readPicture: Reads images that come with effects; if nil, they are transparent.
    ///   - makeContext: Creates a context on the watcher's thread, in which new versions are
    ///     compiled before they are drawn. If it is nil or returns nil, the thread that draws
    ///     compiles them.
    ///   - handler: Called on the watcher's thread after each save.
    /// - Throws: `EffectError.unreadable` if the system does not allow watching folders.
    package init(
        readPicture: (@Sendable (_ path: String) throws -> PixelBuffer)? = nil,
        makeContext: (@Sendable () throws(GLError) -> any GLContext)? = nil,
        handler: @escaping @Sendable (Event) -> Void
    ) throws(EffectError) {
        let worker = Worker(
            folders: try FolderWatcher(), readPicture: readPicture, makeContext: makeContext,
            handler: handler)
        self.worker = worker
        thread = HeadlessThreads.shared.start(
            name: "ph-effects", end: { worker.folders.stop() }
        ) { worker.run() }
    }

    deinit { worker.folders.stop() }

    /// Stops watching, and waits until nothing is being compiled. Do not call it from the handler.
    public func stop() {
        worker.folders.stop()
        thread?.join()
    }

    /// Watches the file of an instance's effect. For a built-in effect, the call does nothing.
    ///
    /// - Parameter format: The format, or nil to detect it from the file's contents.
    public func watch(_ instance: EffectInstance, format: EffectFormat? = nil) {
        let path = instance.effect.path
        guard access(path, F_OK) == 0 else { return }
        instance.isLive = true
        worker.change { state in
            state.entries.append(
                Worker.Entry(
                    instance: instance, path: path, format: format,
                    files: EffectFiles(instance.effect)))
        }
    }

    /// Watches the file of a preset. The preset is applied to the effects each time the file is
    /// saved, but not by this call.
    public func watch(presetAt path: String, of instances: [EffectInstance]) {
        worker.change { state in
            state.presets.append(
                Worker.Preset(
                    path: path, files: EffectFiles(path: path),
                    instances: instances.map { Worker.Weak(instance: $0) }))
        }
    }

    /// Stops watching an instance.
    public func unwatch(_ instance: EffectInstance) {
        instance.isLive = false
        worker.change { state in state.entries.removeAll { $0.instance === instance } }
    }

    /// The state of the watcher's thread.
    private final class Worker: Sendable {
        struct Entry {
            weak var instance: EffectInstance?
            let path: String
            let format: EffectFormat?
            /// The files of the last version that could be read, and their folders.
            var files: EffectFiles
            /// The error of the last load. As long as there is an error, any new file may be the
            /// one that was missing.
            var failure: EffectError?
            /// The state of the files when they were last loaded.
            var loaded: [String: LoadedFile] = [:]

            /// Returns the changed files that may belong to this effect and that differ from the
            /// files that were loaded.
            func news(of changed: Set<String>) -> Set<String> {
                let concerning = changed.filter { path in
                    // A path that ends in a slash stands for all files in the folder. For a folder
                    // of tabs, new names count too.
                    files.paths.contains(path)
                        || files.folders.contains { folder in
                            path == folder + "/"
                                || (failure != nil || files.isFolder)
                                    && path.hasPrefix(folder + "/")
                        }
                }
                return loaded.news(of: concerning)
            }
        }

        struct Weak {
            weak var instance: EffectInstance?
        }

        struct Preset {
            let path: String
            let files: EffectFiles
            let instances: [Weak]
            /// The state of the file when it was last loaded.
            var loaded: [String: LoadedFile] = [:]

            func isDue(_ changed: Set<String>) -> Bool {
                !loaded.news(of: changed.intersection(files.paths)).isEmpty
            }
        }

        struct State {
            var entries: [Entry] = []
            /// The watched presets. They are never removed.
            var presets: [Preset] = []
            var folders: Set<String> {
                let files = entries.map(\.files) + presets.map(\.files)
                return files.reduce(into: Set<String>()) { $0.formUnion($1.folders) }
            }
        }

        let folders: FolderWatcher
        /// The state of the watcher. Its lock is held while the list of watched folders changes;
        /// `folders` has its own lock.
        private let state = Mutex(State())
        private let readPicture: (@Sendable (String) throws -> PixelBuffer)?
        private let makeContext: (@Sendable () throws(GLError) -> any GLContext)?
        private let handler: @Sendable (Event) -> Void
        private let pictures = PictureShelf()

        init(
            folders: FolderWatcher, readPicture: (@Sendable (String) throws -> PixelBuffer)?,
            makeContext: (@Sendable () throws(GLError) -> any GLContext)?,
            handler: @escaping @Sendable (Event) -> Void
        ) {
            self.folders = folders
            self.readPicture = readPicture
            self.makeContext = makeContext
            self.handler = handler
        }

        /// Changes the state, and then watches the folders that the new state requires.
        func change(_ change: (inout State) -> Void) {
            state.withLock { state in
                change(&state)
                // The list is set under the lock, so that an older list of folders cannot replace a
                // newer one.
                folders.watch(state.folders)
            }
        }

        func run() {
            // With software OpenGL, compiling takes a tenth of a second on all cores. Playback has
            // priority.
            WorkerThread.yieldToOthers()
            // The context is created at once, so that the first save is as fast as later ones.
            let context = try? makeContext?()
            let prewarm = context.flatMap { try? EffectPrewarm($0) }
            if let prewarm { warmUp(prewarm) }
            HeadlessExit.registerLast()
            while let changed = folders.next() {
                let (entries, presets) = state.withLock { state in
                    state.entries.removeAll { $0.instance == nil }
                    return (state.entries, state.presets)
                }
                // All changes are determined before anything is loaded, because loading may take a
                // while.
                let news = entries.map { $0.news(of: changed) }
                let duePresets = presets.indices.filter { presets[$0].isDue(changed) }
                for (entry, news) in zip(entries, news) where !news.isEmpty {
                    reload(entry, prewarm, news)
                }
                for index in duePresets { apply(presets[index], index) }
                prewarm?.clear()
                HeadlessExit.registerLast()
            }
            context?.clearCurrent()
        }

        /// Compiles the shader code that all effects share.
        private func warmUp(_ prewarm: EffectPrewarm) {
            guard let effect = try? EffectLibrary.effect(named: "exposure") else { return }
            _ = prewarm.run(effect, like: EffectInstance(effect))
            prewarm.clear()
        }

        private func reload(
            _ entry: Entry, _ prewarm: EffectPrewarm?, _ news: Set<String>
        ) {
            guard let instance = entry.instance else { return }
            let loaded = [String: LoadedFile](of: entry.files.paths.union(news))
            do throws(EffectError) {
                let reader: EffectLibrary.PictureReader? = readPicture.map { read in
                    { [pictures] path in try pictures.picture(path, read) }
                }
                let effect = try EffectLibrary.effect(
                    path: entry.path, format: entry.format, readPicture: reader)
                note(entry, EffectFiles(effect), nil, loaded)
                if let error = prewarm?.run(effect, like: instance) { throw error }
                instance.replace(with: effect)
                handler(.reloaded(instance))
            } catch {
                if case .compilation = error {} else { note(entry, nil, error, loaded) }
                // An error is reported again only if the effect's own files have changed.
                guard error != entry.failure || !news.isDisjoint(with: entry.files.paths) else {
                    return
                }
                handler(.failed(instance, error))
            }
        }

        private func apply(_ preset: Preset, _ index: Int) {
            let loaded = [String: LoadedFile](of: preset.files.paths)
            state.withLock { $0.presets[index].loaded = loaded }
            do throws(EffectError) {
                let reader: EffectLibrary.PictureReader? = readPicture.map { read in
                    { [pictures] path in try pictures.picture(path, read) }
                }
                try EffectPreset(path: preset.path).apply(
                    to: preset.instances.compactMap(\.instance), readPicture: reader)
                handler(.applied(preset.path))
            } catch {
                handler(.presetFailed(preset.path, error))
            }
        }

        private func note(
            _ entry: Entry, _ files: EffectFiles?, _ failure: EffectError?,
            _ loaded: [String: LoadedFile]
        ) {
            change { state in
                let index = state.entries.firstIndex { $0.instance === entry.instance }
                guard let index else { return }
                if let files { state.entries[index].files = files }
                state.entries[index].failure = failure
                state.entries[index].loaded = loaded
            }
        }
    }
}
