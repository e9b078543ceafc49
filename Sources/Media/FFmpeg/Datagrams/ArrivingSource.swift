// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A live source whose media arrives as it is made. Nothing can be loaded ahead, and nothing can be
/// read again.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
protocol ArrivingSource: AnyObject {
    /// The number of bytes of media that have been read.
    var byteTotal: Int64 { get }
    /// A Boolean value that indicates whether reading can continue after an error. If not, the
    /// source must be opened again.
    var isConnected: Bool { get }
    /// The time in a recording from which it is sent if the source is opened again; zero for a live
    /// source.
    var position: MediaTime { get }
    /// Closes the connection, so that the source can be opened again.
    func disconnect()
}

extension ArrivingSource {
    var position: MediaTime { .zero }
}
