// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The addresses opened on behalf of an asset, in order.
final class AccessLog: Sendable {
    private let list = Mutex<[AssetAccess]>([])

    var all: [AssetAccess] { list.withLock { $0 } }
    /// The accesses that the asset caused, opened or not.
    var children: [AssetAccess] { all.filter { $0.depth > 0 } }
    /// The last path components of the opened addresses.
    var opened: [String] {
        all.filter { $0.error == nil }.map { access in
            access.subject.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    /// Returns options with which an asset records its accesses here.
    func options(_ options: AssetOptions = AssetOptions()) -> AssetOptions {
        var options = options
        options.accessObserver = { [self] access in list.withLock { $0.append(access) } }
        return options
    }
}
