// SPDX-License-Identifier: Apache-2.0

/// The source of an asset's bytes.
package enum AssetSource: Sendable, CustomStringConvertible {
    case location(AssetLocation)
    /// Data that the caller provides, and the name of the data for error messages.
    case data(any MediaDataSource, name: String)

    /// The source's name for error messages: a path or URL as it was given, except for passwords of
    /// live streams, or the name of the data.
    package var description: String {
        switch self {
        case .location(let location): location.publicDescription
        case .data(_, let name): name
        }
    }
}
