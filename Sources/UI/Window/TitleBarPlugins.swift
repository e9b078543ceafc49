// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The plug-ins with which libdecor draws title bars, for compositors of Wayland that draw none.
enum TitleBarPlugins {
    /// Returns whether there is a plug-in in the folders in which libdecor looks.
    ///
    /// - Parameter environment: Returns the value of a variable.
    static func areInstalled(environment: (String) -> String?) -> Bool {
        let folders = environment("LIBDECOR_PLUGIN_DIR") ?? folderBesideLibrary ?? ""
        return folders.split(separator: ":").contains { hasLibrary(in: String($0)) }
    }

    /// The folder that libdecor was built with, beside itself; nil if it is not installed.
    private static var folderBesideLibrary: String? {
        guard let library = dlopen("libdecor-0.so.0", RTLD_LAZY) else { return nil }
        defer { dlclose(library) }
        // A line of this file ends with the path of a file in memory.
        guard let maps = fopen("/proc/self/maps", "r") else { return nil }
        defer { fclose(maps) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, maps) > 0 {
            guard let text = line.map({ String(cString: $0) }), text.contains("/libdecor-0.so"),
                let start = text.firstIndex(of: "/")
            else { continue }
            let folder = text[start...].split(separator: "/").dropLast()
            return "/" + folder.joined(separator: "/") + "/libdecor/plugins-1"
        }
        return nil
    }

    private static func hasLibrary(in folder: String) -> Bool {
        guard let directory = opendir(folder) else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let isLibrary = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name.prefix { $0 != 0 }.suffix(3).elementsEqual(".so".utf8)
            }
            if isLibrary { return true }
        }
        return false
    }
}
