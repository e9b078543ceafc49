// SPDX-License-Identifier: Apache-2.0

import CPlayheadCurl
import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// The results of libcurl as errors. This extension contains all conversions.
extension CURLcode {
    /// The circumstances in which a transfer failed.
    struct Circumstances {
        /// The code of the system call that failed; 0 for none.
        var systemError: Int32 = 0
        /// A Boolean value that indicates whether a proxy was used.
        var hasProxy = false
        /// The status with which the proxy refused to connect; 0 if it did not.
        var proxyStatus = 0
    }

    /// Returns the error for a failure to open or read `subject`.
    func whileReading(
        _ subject: String, _ circumstances: Circumstances, interrupt: Interrupt
    ) -> MediaError {
        if let error = inProxy(subject, circumstances) { return error }
        switch self {
        case CURLE_OPERATION_TIMEDOUT:
            return FFmpegError.interrupted.whileReading(subject, interrupt: interrupt)
        case CURLE_OUT_OF_MEMORY:
            return FFmpegError.outOfMemory.whileReading(subject)
        case CURLE_COULDNT_CONNECT where circumstances.systemError == ECONNREFUSED:
            return .connectionRefused(subject)
        case CURLE_COULDNT_RESOLVE_HOST:
            return MediaError(
                .cannotOpen, subject: subject, cause: "its host is not found",
                remedy: "check the address and the network")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM:
            return MediaError(
                .cannotOpen, subject: subject,
                cause: "the server accepts no secure connection, or its certificate is not valid",
                remedy: "check the address, the network, and this machine's clock")
        case CURLE_BAD_CONTENT_ENCODING:
            return MediaError(
                .damaged, subject: subject, cause: "its HTTP compression is not valid",
                remedy: "report this to the operator of the server")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_GOT_NOTHING,
            CURLE_WRITE_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_OK:
            return MediaError(
                .damaged, subject: subject, cause: "the server's response is not valid HTTP",
                remedy: "check the address")
        case _ where circumstances.systemError != 0:
            return FFmpegError(ph_AVERROR(circumstances.systemError))
                .whileReading(subject, interrupt: interrupt)
        default:
            return MediaError(
                .cannotOpen, subject: subject,
                cause: "it cannot be read (\(String(cString: curl_easy_strerror(self))))",
                remedy: "check the address and the network")
        }
    }

    private func inProxy(_ subject: String, _ circumstances: Circumstances) -> MediaError? {
        guard circumstances.hasProxy else { return nil }
        func error(_ cause: String) -> MediaError {
            MediaError(
                .cannotOpen, subject: subject, cause: cause,
                remedy: "check the address of the proxy and the permission to use it")
        }
        if circumstances.proxyStatus >= 400 {
            return error("the proxy refuses the connection (\(circumstances.proxyStatus))")
        }
        switch self {
        case CURLE_COULDNT_RESOLVE_PROXY: return error("the proxy is not found")
        case CURLE_COULDNT_CONNECT: return error("the proxy does not accept connections")
        case CURLE_PROXY: return error("the proxy refuses the connection")
        default: return nil
        }
    }

    /// A Boolean value that indicates whether the connection ended before the response did.
    var isEndOfConnection: Bool {
        [
            CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM,
        ].contains(self)
    }
}
