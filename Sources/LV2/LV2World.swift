// SPDX-License-Identifier: Apache-2.0

import CPlayheadLV2
import Synchronization

/// The installed plug-ins, as Lilv finds them.
///
/// Lilv is called by one thread at a time, and so are the functions that create and remove
/// instances of plug-ins.
///
/// - Concurrency: any thread, but not the audio callback.
final class LV2World: @unchecked Sendable {
    // Unchecked: `world` and `nodes` are used only under the lock.

    private static let libraryName = "liblilv-0.so.0"

    /// The plug-ins in the folders of `LV2_PATH`, or in the standard folders.
    static let shared = Result { () throws(LV2Error) -> LV2World in try LV2World() }

    /// The functions of the library. None of them is nil.
    let lilv: ph_lilv
    private let world: OpaquePointer
    private var nodes: [String: OpaquePointer] = [:]
    private let lock = Mutex(())

    /// Loads the library and finds the plug-ins.
    ///
    /// - Parameter path: The folders that contain bundles, separated by colons; by default
    ///   `LV2_PATH`, or the standard folders.
    init(library: String = libraryName, path: String? = nil) throws(LV2Error) {
        var lilv = ph_lilv()
        guard ph_lilv_load(&lilv, library), let world = lilv.world_new() else {
            throw LV2Error(
                .libraryMissing, subject: "LV2 plug-ins",
                cause: "the library \(library) is missing",
                remedy: "install liblilv-0-0 (Debian, Ubuntu, openSUSE), lilv-libs (Fedora) or "
                    + "lilv (Arch)")
        }
        if let path, let node = lilv.new_string(world, path) {
            lilv.world_set_option(world, LV2URI.searchPath, node)
            lilv.node_free(node)
        }
        lilv.world_load_all(world)
        self.lilv = lilv
        self.world = world
    }

    deinit {
        for node in nodes.values { lilv.node_free(node) }
        lilv.world_free(world)
    }

    /// Runs `body` while no other thread calls Lilv.
    func withLock<Value: Sendable>(_ body: () -> Value) -> Value { lock.withLock { _ in body() } }

    // MARK: - Under the lock

    /// The plug-ins.
    var plugins: [OpaquePointer] {
        let all = lilv.world_get_all_plugins(world)
        var plugins: [OpaquePointer] = []
        var position = lilv.plugins_begin(all)
        while !lilv.plugins_is_end(all, position) {
            if let plugin = lilv.plugins_get(all, position) { plugins.append(plugin) }
            position = lilv.plugins_next(all, position)
        }
        return plugins
    }

    /// Returns the plug-in with a URI, or nil.
    func plugin(_ uri: String) -> OpaquePointer? {
        // Lilv prints a complaint about a text without a colon.
        guard uri.contains(":"), let node = lilv.new_uri(world, uri) else { return nil }
        defer { lilv.node_free(node) }
        return lilv.plugins_get_by_uri(lilv.world_get_all_plugins(world), node)
    }

    /// Returns the node of a URI, which the world owns.
    func node(_ uri: String) -> OpaquePointer? {
        if let node = nodes[uri] { return node }
        let node = lilv.new_uri(world, uri)
        nodes[uri] = node
        return node
    }

    /// Returns the text of a property of a resource that is not a plug-in, or nil.
    func text(of property: String, of resource: OpaquePointer) -> String? {
        guard let node = lilv.world_get(world, resource, node(property), nil) else { return nil }
        defer { lilv.node_free(node) }
        return text(node)
    }

    /// Returns the text of a node.
    func text(_ node: OpaquePointer?) -> String? {
        node.flatMap { lilv.node_as_string($0) }.map { String(cString: $0) }
    }

    /// Returns the number of a node; nil if the node is nil or something else.
    func number(_ node: OpaquePointer?) -> Float? {
        guard let node else { return nil }
        if lilv.node_is_bool(node) { return lilv.node_as_bool(node) ? 1 : 0 }
        let number = lilv.node_as_float(node)
        return number.isNaN ? nil : number
    }

    /// Returns the texts of nodes, and frees the nodes.
    func consume(_ nodes: OpaquePointer?) -> [String] {
        guard let nodes else { return [] }
        defer { lilv.nodes_free(nodes) }
        var texts: [String] = []
        var position = lilv.nodes_begin(nodes)
        while !lilv.nodes_is_end(nodes, position) {
            if let text = text(lilv.nodes_get(nodes, position)) { texts.append(text) }
            position = lilv.nodes_next(nodes, position)
        }
        return texts
    }

    /// Returns the value that `read` finds in a node, and frees the node.
    func consume<Value>(
        _ node: OpaquePointer?, _ read: (OpaquePointer?) -> Value?
    ) -> Value? {
        defer { if let node { lilv.node_free(node) } }
        return read(node)
    }
}
