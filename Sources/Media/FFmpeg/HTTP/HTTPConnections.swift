// SPDX-License-Identifier: Apache-2.0

import CPlayheadCurl
import PlayheadAssets

/// The connections of an asset's HTTP requests, which later requests to the same servers use again,
/// and the cookies that the servers set. Both end with this object.
///
/// libcurl runs no thread here: requests proceed while `run` waits for one of them. Requests by
/// HTTP/2 share a connection.
///
/// - Concurrency: one thread at a time.
/// - Ownership: each `HTTPExchange` retains the connections that it uses.
/// - Corresponds to: `CURLM` with a `CURLSH`.
final class HTTPConnections {
    let multi: UnsafeMutableRawPointer
    let share: UnsafeMutableRawPointer
    let interrupt: Interrupt

    /// libcurl is set up once in a process.
    private static let isReady = ph_curl_begin() == CURLE_OK
    /// The interval at which `run` checks whether it must end, in milliseconds.
    private static let step: Int32 = 20
    /// The maximum number of connections that are kept open.
    private static let maximumConnections = 8

    /// - Parameters:
    ///   - interrupt: An object that ends waiting.
    ///   - subject: The name of the first source, for errors.
    init(interrupt: Interrupt, subject: String) throws(MediaError) {
        guard Self.isReady, let share = curl_share_init() else {
            throw FFmpegError.outOfMemory.whileReading(subject)
        }
        guard let multi = curl_multi_init() else {
            curl_share_cleanup(share)
            throw FFmpegError.outOfMemory.whileReading(subject)
        }
        (self.multi, self.share, self.interrupt) = (multi, share, interrupt)
        _ = ph_curl_share(share, CURL_LOCK_DATA_COOKIE)
        _ = ph_curl_share(share, CURL_LOCK_DATA_SSL_SESSION)
        _ = ph_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
    }

    deinit {
        curl_multi_cleanup(multi)
        curl_share_cleanup(share)
    }

    /// Runs requests until a condition holds.
    ///
    /// - Throws: An error if waiting must end.
    func run(_ subject: String, until isDone: () -> Bool) throws(MediaError) {
        while !isDone() {
            guard !interrupt.isTriggered else {
                throw FFmpegError.interrupted.whileReading(subject, interrupt: interrupt)
            }
            var count: Int32 = 0
            guard curl_multi_perform(multi, &count) == CURLM_OK else {
                throw FFmpegError.outOfMemory.whileReading(subject)
            }
            var result = CURLE_OK
            while let exchange = ph_curl_next_result(multi, &result) {
                Unmanaged<HTTPExchange>.fromOpaque(exchange).takeUnretainedValue().finish(result)
            }
            if isDone() { return }
            curl_multi_poll(multi, nil, 0, Self.step, nil)
        }
    }
}
