// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// An error of an item: a file or an address that could not be opened, or media that could not be
/// read or decoded.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVPlayerItemErrorLogEvent`.
public struct PlayerItemErrorLogEvent: Sendable, Hashable {
    /// The address or path that the error is about, without user and password. Addresses are
    /// limited to 4,096 bytes.
    public let uri: String
    /// The IP address of the server that answered last; nil if it is not known.
    public let serverAddress: String?
    /// The status of the HTTP response that caused the error, such as 404; negative for other
    /// errors.
    public let errorStatusCode: Int
    /// The error. Its cause corresponds to `errorComment`. Its subject is the asset as the program
    /// named it, which may contain a user and a password.
    public let error: MediaError
    /// The time of the error, in seconds since 1970.
    package let secondsSince1970: Double
    /// The identifier of the playback, which the events of the access log have too.
    public let playbackSessionID: String

    init(_ failure: TransferLog.Failure, sessionID: String) {
        uri = failure.uri
        serverAddress = failure.serverAddress
        errorStatusCode = failure.error.httpStatus ?? -1
        error = failure.error
        secondsSince1970 = failure.date
        playbackSessionID = sessionID
    }
}
