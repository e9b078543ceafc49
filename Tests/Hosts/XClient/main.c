// SPDX-License-Identifier: Apache-2.0

// Desktop actions that xdotool lacks: drops files on windows, minimises them, takes screenshots.
//
//     XClient drop WINDOW URI ...      as a file manager: drag and drop, version 5
//     XClient minimise WINDOW          as a window manager
//     XClient restore WINDOW
//     XClient picture FILE             of the whole screen: blue, green, red and an unused byte
//     XClient numbers TITLE X Y W H    opens a window, prints its identifier, and shows each number
//                                      that a line of the standard input has, as a strip of blocks;
//                                      "size W H" resizes it, "close" closes it
//
// The strip is that of FrameNumberStrip: two rows of 16 blocks of 16 x 16 pixels.
//
// See freedesktop.org's XDND specification and ICCCM 4.1.3.1 (WM_STATE).

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Display *display;

static Atom atom(const char *name) { return XInternAtom(display, name, False); }

static void send(Window target, const char *type, const long data[5])
{
    XEvent event = {0};
    event.xclient.type = ClientMessage;
    event.xclient.window = target;
    event.xclient.message_type = atom(type);
    event.xclient.format = 32;
    for (int i = 0; i < 5; i++)
        event.xclient.data.l[i] = data[i];
    XSendEvent(display, target, False, NoEventMask, &event);
}

// Sends the requested list of files to the target.
static void answer(const XSelectionRequestEvent *request, const char *files)
{
    XChangeProperty(display, request->requestor, request->property, request->target, 8,
                    PropModeReplace, (const unsigned char *)files, (int)strlen(files));
    XEvent event = {0};
    event.xselection.type = SelectionNotify;
    event.xselection.requestor = request->requestor;
    event.xselection.selection = request->selection;
    event.xselection.target = request->target;
    event.xselection.property = request->property;
    event.xselection.time = request->time;
    XSendEvent(display, request->requestor, False, NoEventMask, &event);
}

static int drop(Window target, const char *files)
{
    Window source = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display, atom("XdndSelection"), source, CurrentTime);
    long list = (long)atom("text/uri-list");
    send(target, "XdndEnter", (long[5]){(long)source, 5L << 24, list, 0, 0});
    long place = 10L << 16 | 10;
    long copy = (long)atom("XdndActionCopy");
    send(target, "XdndPosition", (long[5]){(long)source, 0, place, CurrentTime, copy});
    for (;;) {
        XEvent event;
        XNextEvent(display, &event);
        if (event.type == SelectionRequest)
            answer(&event.xselectionrequest, files);
        if (event.type != ClientMessage)
            continue;
        if (event.xclient.message_type == atom("XdndStatus"))
            send(target, "XdndDrop", (long[5]){(long)source, 0, CurrentTime, 0, 0});
        if (event.xclient.message_type == atom("XdndFinished"))
            // Not only bit 0: GLFW sends the length of the list.
            return event.xclient.data.l[1] != 0 ? 0 : 1;
    }
}

static void set_state(Window target, long state)
{
    unsigned long value[2] = {(unsigned long)state, None};
    XChangeProperty(display, target, atom("WM_STATE"), atom("WM_STATE"), 32, PropModeReplace,
                    (const unsigned char *)value, 2);
    XSync(display, False);
}

static int take_picture(const char *path)
{
    XWindowAttributes root;
    XGetWindowAttributes(display, DefaultRootWindow(display), &root);
    XImage *image = XGetImage(display, DefaultRootWindow(display), 0, 0, (unsigned)root.width,
                              (unsigned)root.height, AllPlanes, ZPixmap);
    FILE *file = fopen(path, "w");
    if (!image || !file || image->bits_per_pixel != 32)
        return 1;
    for (int row = 0; row < image->height; row++)
        fwrite(image->data + row * image->bytes_per_line, 4, (size_t)image->width, file);
    return fclose(file) == 0 ? 0 : 1;
}

static unsigned check(unsigned number)
{
    unsigned char remainder = 0;
    for (int byte = 16; byte >= 0; byte -= 8) {
        remainder ^= (unsigned char)(number >> byte);
        for (int bit = 0; bit < 8; bit++)
            remainder = (unsigned char)(remainder & 0x80 ? remainder << 1 ^ 0x07 : remainder << 1);
    }
    return remainder ^ 0x55u;
}

// Draws into a pixmap and copies it at once, so that no capture sees half a number.
static void draw_number(Window window, GC context, unsigned width, unsigned height, unsigned number)
{
    Pixmap picture = XCreatePixmap(
        display, window, width, height, (unsigned)DefaultDepth(display, DefaultScreen(display)));
    // A colour by the number: red, green, blue of the area below the strip.
    XSetForeground(display, context, 0x204060u + (number & 0x1f) * 0x010101u);
    XFillRectangle(display, picture, context, 0, 0, width, height);
    unsigned code = number << 8 | check(number);
    for (int block = 0; block < 32; block++) {
        int white = block == 0 || (block > 1 && (code >> (31 - block) & 1));
        XSetForeground(display, context, white ? 0xffffffu : 0);
        XFillRectangle(display, picture, context, block % 16 * 16, block / 16 * 16, 16, 16);
    }
    XCopyArea(display, picture, window, context, 0, 0, width, height, 0, 0);
    XFreePixmap(display, picture);
    XSync(display, False);
}

static int show_numbers(const char *title, int x, int y, unsigned width, unsigned height)
{
    Window window = XCreateSimpleWindow(
        display, DefaultRootWindow(display), x, y, width, height, 0, 0, 0);
    XSelectInput(display, window, StructureNotifyMask);
    XStoreName(display, window, title);
    XMapWindow(display, window);
    for (XEvent event = {0}; event.type != MapNotify;)
        XNextEvent(display, &event);
    GC context = XCreateGC(display, window, 0, NULL);
    XSync(display, False);
    printf("0x%lx\n", window);
    fflush(stdout);
    char line[64];
    unsigned shown = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "close", 5) == 0) {
            XDestroyWindow(display, window);
            XSync(display, False);
            continue;
        }
        if (sscanf(line, "size %u %u", &width, &height) == 2) {
            XResizeWindow(display, window, width, height);
            XSync(display, False);
        } else {
            shown = (unsigned)strtoul(line, NULL, 10);
        }
        draw_number(window, context, width, height, shown);
    }
    return 0;
}

int main(int count, char **words)
{
    display = XOpenDisplay(NULL);
    if (!display || count < 3)
        return 2;
    if (strcmp(words[1], "picture") == 0)
        return take_picture(words[2]);
    if (strcmp(words[1], "numbers") == 0 && count == 7)
        return show_numbers(words[2], atoi(words[3]), atoi(words[4]), (unsigned)atoi(words[5]),
                            (unsigned)atoi(words[6]));
    Window target = strtoul(words[2], NULL, 0);
    if (strcmp(words[1], "minimise") == 0) {
        set_state(target, 3); // IconicState
        return 0;
    }
    if (strcmp(words[1], "restore") == 0) {
        set_state(target, 1); // NormalState
        return 0;
    }
    char files[65536] = "";
    for (int i = 3; i < count; i++) {
        strncat(files, words[i], sizeof files - strlen(files) - 3);
        strcat(files, "\r\n");
    }
    return drop(target, files);
}
