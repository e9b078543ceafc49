// SPDX-License-Identifier: Apache-2.0

/// A channel of closed captions within a video or a caption track.
///
/// - Concurrency: a value; any thread.
package enum CaptionService: Sendable, Hashable, Comparable {
    /// A caption channel of CEA-608, from 1 to 4: CC1 and CC2 are in the first field, CC3 and CC4
    /// in the second.
    case line21(Int)
    /// A caption service of CEA-708, from 1 to 63. Service 1 is in the language of the programme.
    case digital(Int)

    /// The name of the service, as broadcasters use it, such as `CC1` or `Service 1`.
    package var name: String {
        switch self {
        case .line21(let channel): "CC\(channel)"
        case .digital(let number): "Service \(number)"
        }
    }

    /// The name of the standard, used as the name of the codec.
    package var codec: String {
        switch self {
        case .line21: "eia_608"
        case .digital: "eia_708"
        }
    }

    /// A number that identifies the service among the services of a track, from 1 to 127.
    package var number: Int {
        switch self {
        case .line21(let channel): channel
        case .digital(let number): 64 + number
        }
    }
}
