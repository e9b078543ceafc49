// SPDX-License-Identifier: Apache-2.0

import CPlayheadCurl
import Glibc
import PlayheadAssets

/// An HTTP request and the response to it, by libcurl. Redirections are not followed.
///
/// Data that has arrived waits in a buffer of a limited size. While it is full, the connection is
/// not read.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the exchange ends on deallocation. libcurl has an unretained pointer to it.
/// - Corresponds to: `CURL`.
final class HTTPExchange {
    /// A function that returns the error for an address that must not be used; nil for others.
    typealias Refusal = (NetworkSpace) -> MediaError?

    private(set) var response = HTTPResponse()
    /// A Boolean value that indicates whether reading reached the end of the body, and not just the
    /// end of a broken connection.
    private(set) var isComplete = false

    private let easy: UnsafeMutableRawPointer
    private let connections: HTTPConnections
    private let request: HTTPRequest
    private let subject: String
    private let refusal: Refusal
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var buffer: [UInt8] = []
    private var bufferStart = 0
    private var isPaused = false
    private var hasBody = false
    private var result: CURLcode?
    /// The error of an address that was refused, and the code of a socket that was not created.
    private var refused: MediaError?
    private var socketError: Int32 = 0

    /// The size of the buffer at which the connection is no longer read, in bytes.
    private static let bufferLimit = 1 << 17
    /// The maximum number of bytes that libcurl receives at once.
    private static let receiveSize = 1 << 16

    /// Begins to send a request. It proceeds while this or another exchange waits.
    ///
    /// - Parameter refusal: Called with the address of each connection before it is made.
    init(
        _ request: HTTPRequest, subject: String, connections: HTTPConnections,
        refusal: @escaping Refusal
    ) throws(MediaError) {
        guard let easy = curl_easy_init() else {
            throw FFmpegError.outOfMemory.whileReading(subject)
        }
        self.easy = easy
        self.connections = connections
        self.request = request
        self.subject = subject
        self.refusal = refusal
        try setOptions()
        guard curl_multi_add_handle(connections.multi, easy) == CURLM_OK else {
            throw FFmpegError.outOfMemory.whileReading(subject)
        }
    }

    /// Waits for the head of the response.
    func waitForHead() throws(MediaError) {
        try connections.run(subject) { self.hasHead || self.result != nil }
        guard hasHead else { throw failure(result ?? CURLE_OK) }
    }

    deinit {
        curl_multi_remove_handle(connections.multi, easy)
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
    }

    // MARK: - The response

    /// Reads available data, and waits for at least one byte. Returns 0 at the end.
    func read(into target: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        if bufferStart == buffer.count {
            bufferStart = 0
            buffer.removeAll(keepingCapacity: true)
            resume()
            try connections.run(subject) { !self.buffer.isEmpty || self.result != nil }
        }
        let part = buffer[bufferStart...].prefix(target.count)
        target.copyBytes(from: part)
        bufferStart += part.count
        guard part.isEmpty, let result else { return part.count }
        if result == CURLE_OK {
            isComplete = true
        } else if !result.isEndOfConnection {
            throw failure(result)
        }
        return 0
    }

    /// The IP address of the server, or of the proxy. An IPv6 address is in brackets.
    var peerAddress: String? {
        guard let text = ph_curl_text(easy, CURLINFO_PRIMARY_IP), text.pointee != 0 else {
            return nil
        }
        return HTTPAddress.bracketed(String(cString: text))
    }

    /// The number of bytes of the body that have arrived, before decompression.
    var arrivedByteCount: Int64 { ph_curl_size(easy, CURLINFO_SIZE_DOWNLOAD_T) }

    /// A Boolean value that indicates whether the server wants the password without encoding.
    var demandsPlainPassword: Bool {
        ph_curl_number(easy, CURLINFO_HTTPAUTH_AVAIL) == ph_curl_basic()
    }

    /// Ends the exchange. Called while requests run.
    func finish(_ result: CURLcode) { self.result = result }

    /// A Boolean value that indicates whether the response to the caller has begun, and not one to
    /// which libcurl answers itself with a password.
    var hasHead: Bool {
        guard response.isFinal else { return false }
        let isAnswered =
            response.status == 401 && request.credentials != nil
            || response.status == 407 && request.proxy != nil
        return !isAnswered || hasBody || result != nil
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        let code = ph_curl_continue(easy)
        if code != CURLE_OK, result == nil { result = code }
    }

    private func failure(_ code: CURLcode) -> MediaError {
        if let refused { return refused }
        let error = ph_curl_number(easy, CURLINFO_OS_ERRNO)
        return code.whileReading(
            subject,
            CURLcode.Circumstances(
                systemError: socketError != 0 ? socketError : Int32(clamping: error),
                hasProxy: request.proxy != nil,
                proxyStatus: ph_curl_number(easy, CURLINFO_HTTP_CONNECTCODE)),
            interrupt: connections.interrupt)
    }

    // MARK: - The request

    private func setOptions() throws(MediaError) {
        var codes: [CURLcode] = []
        func set(_ option: CURLoption, _ value: Int) {
            codes.append(ph_curl_set_number(easy, option, value))
        }
        func set(_ option: CURLoption, _ value: String) {
            codes.append(ph_curl_set_text(easy, option, value))
        }
        func set(_ option: CURLoption, _ lines: [String]) {
            guard let list = Self.list(lines) else { return }
            lists.append(list)
            codes.append(ph_curl_set_list(easy, option, list))
        }
        setCallbacks(&codes)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        // SHOUTcast servers respond with this line.
        set(CURLOPT_HTTP200ALIASES, ["ICY 200 OK"])
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_BUFFERSIZE, Self.receiveSize)
        // A name server that does not answer must not hold up the end of the exchange.
        set(CURLOPT_QUICK_EXIT, 1)
        if let time = connections.interrupt.remainingTime {
            set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(time / 1_000_000, 1)))
        }
        set(CURLOPT_SSL_VERIFYPEER, request.verifiesCertificate ? 1 : 0)
        set(CURLOPT_SSL_VERIFYHOST, request.verifiesCertificate ? 2 : 0)
        // These keep libcurl from using the environment.
        set(CURLOPT_PROXY, request.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PROXYAUTH, ph_curl_basic_or_digest())

        set(CURLOPT_URL, request.url)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FRESH_CONNECT, request.needsNewConnection ? 1 : 0)
        if let resolution = request.resolution { set(CURLOPT_RESOLVE, [resolution]) }
        if let range = request.range { set(CURLOPT_RANGE, range) }
        // An empty text means all encodings that libcurl can decode. It also decodes what a server
        // has encoded without being asked.
        set(CURLOPT_ACCEPT_ENCODING, request.acceptsCompression ? "" : "identity")
        set(CURLOPT_USERAGENT, request.userAgent)
        set(CURLOPT_HTTPHEADER, try request.lines(subject: subject))
        if let credentials = request.credentials {
            set(CURLOPT_USERNAME, credentials.user)
            set(CURLOPT_PASSWORD, credentials.password)
            set(
                CURLOPT_HTTPAUTH,
                credentials.isSentAtOnce ? ph_curl_basic() : ph_curl_basic_or_digest())
        }
        codes.append(ph_curl_set_share(easy, connections.share))
        // This lets libcurl keep the cookies of the response.
        set(CURLOPT_COOKIEFILE, "")
        for cookie in request.cookies { set(CURLOPT_COOKIELIST, cookie) }
        if let code = codes.first(where: { $0 != CURLE_OK }) { throw failure(code) }
    }

    private static func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) ?? list }
        return list
    }

    // MARK: - Callbacks

    private func setCallbacks(_ codes: inout [CURLcode]) {
        codes.append(
            ph_curl_set_callbacks(
                easy,
                { data, size, count, context in
                    HTTPExchange.of(context).takeLine(data, size * count)
                },
                { data, size, count, context in
                    HTTPExchange.of(context).takeBody(data, size * count)
                },
                { context, _, address in HTTPExchange.of(context).openSocket(address) },
                Unmanaged.passUnretained(self).toOpaque()))
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPExchange {
        Unmanaged<HTTPExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Takes a line of the head. Another number than `count` ends the exchange.
    private func takeLine(_ data: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        response.add(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
    }

    private func takeBody(_ data: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        hasBody = true
        guard buffer.count < Self.bufferLimit else {
            isPaused = true
            return ph_curl_pause_writing()
        }
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
        return count
    }

    /// Creates a socket for a connection to an address that may be used.
    private func openSocket(_ place: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        guard let place, let address = ph_curl_address(place) else { return ph_curl_no_socket() }
        if let error = refusal(NetworkSpace(address)) {
            refused = error
            return ph_curl_no_socket()
        }
        let descriptor = socket(
            place.pointee.family, place.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            place.pointee.protocol)
        if descriptor < 0 { socketError = errno }
        return descriptor
    }
}
