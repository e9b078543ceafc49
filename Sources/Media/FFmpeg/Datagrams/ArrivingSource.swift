// SPDX-License-Identifier: Apache-2.0

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
    /// Closes the connection, so that the source can be opened again.
    func disconnect()
}
